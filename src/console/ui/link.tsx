import type { ComponentChildren } from 'preact'
import { entityPath } from '../paths.ts'
import { safeLink } from './links.ts'
import { visible } from './visible.ts'

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

interface EntityLinkProps {
  readonly to: { readonly kind: string; readonly name: string; readonly title?: string | null }
  readonly class?: string
}

/** Leads to an entity by its title, which may be anybody's text. */
export const EntityLink = ({ to, class: name }: EntityLinkProps) => (
  <a class={name} href={entityPath(to)}>
    <bdi>{visible(to.title ?? to.name)}</bdi>
  </a>
)
