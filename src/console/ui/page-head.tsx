import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

export interface PageHeadProps {
  /** Heading, and title of the window. It is known at once: an entity's name until its title is there. */
  readonly title: string
  /** Links to the pages above. */
  readonly crumbs?: readonly { readonly label: string; readonly href: string }[]
  readonly beside?: ComponentChildren
  /** Actions. */
  readonly children?: ComponentChildren
}

/** The one `h1` of a page. It takes the focus when the page is reached. */
export function PageHead({ title, crumbs = [], beside, children }: PageHeadProps) {
  // At once: a window that shows the new heading has its title.
  useLayoutEffect(() => {
    document.title = `${title} · Portico`
  }, [title])
  return (
    <>
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Above this page">
          {crumbs.map(({ label, href }) => (
            <span key={href}>
              <a href={href}>{label}</a> /
            </span>
          ))}
        </nav>
      )}
      <header class="page-head">
        <h1 tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {beside}
        {children !== undefined && <div class="end">{children}</div>}
      </header>
    </>
  )
}
