import { type PageParameters, pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Chip } from '../../ui/parts.tsx'
import { kindIcon } from '../../ui/words.ts'
import type { Entity } from './entity.ts'

interface EntityHeadProps {
  /** `undefined` until it is read. */
  readonly entity: Entity | undefined
  readonly address: PageParameters<'entity'>
}

export function EntityHead({ entity, address }: EntityHeadProps) {
  const { title, description } = entity?.metadata ?? {}
  const lifecycle = entity?.spec?.lifecycle
  const crumbs = [{ label: 'Catalog', href: pathOf('catalog', {}) }]
  if (entity !== undefined) {
    const { kind } = entity
    crumbs.push({ label: kind, href: pathOf('catalog', {}, { kind: kind.toLowerCase() }) })
  }
  return (
    <div class="entity-head">
      <PageHead
        title={title ?? entity?.metadata.name ?? address.name}
        crumbs={crumbs}
        beside={typeof lifecycle === 'string' && <Chip of={lifecycle} />}
      >
        <Copy
          text={`${location.origin}${pathOf('entity', address)}`}
          name="the address of this page"
        />
      </PageHead>
      <span class="entity-glyph">
        <Icon name={kindIcon(entity?.kind ?? address.kind)} />
      </span>
      {typeof description === 'string' && (
        <p class="muted">
          <bdi>{description}</bdi>
        </p>
      )}
    </div>
  )
}
