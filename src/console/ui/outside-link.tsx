import type { ComponentChildren } from 'preact'
import { safeLink } from './links.ts'

export interface OutsideLinkProps {
  /** From a file or from another system: only what is certainly a link becomes one. */
  readonly url: string
  readonly class?: string
  /** For those who hover. */
  readonly title?: string | undefined
  readonly children: ComponentChildren
}

/** A link that somebody wrote. An address that is not followed is shown, so that it can be mended. */
export function OutsideLink({ url, children, ...attributes }: OutsideLinkProps) {
  const link = safeLink(url)
  if (link === null) {
    return (
      <span>
        {children} (<bdi>{url}</bdi> is no link to a web page)
      </span>
    )
  }
  return (
    <a href={link.href} rel="noopener noreferrer" {...attributes}>
      {children}
    </a>
  )
}
