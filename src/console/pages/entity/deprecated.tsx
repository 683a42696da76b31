import { Icon } from '../../ui/icon.tsx'
import { EntityLink } from '../../ui/link.tsx'
import { parseRef } from '../../ui/names.ts'
import { Time } from '../../ui/time.tsx'
import { deprecationOf, type Entity } from './entity.ts'

/** Before everything else: nobody should begin to depend on it. */
export function Deprecated({ entity: { spec, metadata } }: { readonly entity: Entity }) {
  const deprecation = deprecationOf(spec?.lifecycle, metadata.annotations)
  if (deprecation === null) return null
  const { reason, replacedBy, sunsetAt, by, at } = deprecation
  return (
    <section class="notice entity-deprecated" data-tone="warn" aria-label="Deprecation">
      <Icon name="box" />
      <div>
        <p>
          <strong>Deprecated.</strong> <bdi>{reason}</bdi>
        </p>
        {replacedBy !== null && (
          <p>
            Use <Successor reference={replacedBy} /> instead.
          </p>
        )}
        {sunsetAt !== null && (
          <p>
            It ends <Time at={sunsetAt} />, on {sunsetAt.slice(0, 'yyyy-mm-dd'.length)}.
          </p>
        )}
        {by !== null && (
          <p class="muted">
            By <bdi>{by}</bdi>
            {at !== null && (
              <>
                , <Time at={at} />
              </>
            )}
          </p>
        )}
      </div>
    </section>
  )
}

/** A reference without a kind means a component. */
function Successor({ reference }: { readonly reference: string }) {
  const parsed = parseRef(reference)
  if (parsed === null) return <bdi>{reference}</bdi>
  return <EntityLink to={{ kind: parsed.kind ?? 'component', name: parsed.name }} />
}
