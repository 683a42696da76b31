import { entityPath } from '../paths.ts'
import { visible } from './visible.ts'

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
