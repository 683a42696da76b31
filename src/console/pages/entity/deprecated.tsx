import { pathOf } from '../../paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { parseRef } from '../../ui/names.ts'
import { Time } from '../../ui/time.tsx'
import { deprecationOf } from './entity.ts'

interface DeprecatedProps {
  readonly lifecycle: unknown
  readonly annotations: Readonly<Record<string, unknown>> | null | undefined
}

/** Before everything else: nobody should begin to depend on it. */
export function Deprecated({ lifecycle, annotations }: DeprecatedProps) {
  const deprecation = deprecationOf(lifecycle, annotations)
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
            Use <EntityLink reference={replacedBy} /> instead.
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
function EntityLink({ reference }: { readonly reference: string }) {
  const parsed = parseRef(reference)
  if (parsed === null) return <bdi>{reference}</bdi>
  const { kind, name } = parsed
  return (
    <a href={pathOf('entity', { kind: kind ?? 'component', name })}>
      <bdi>{name}</bdi>
    </a>
  )
}
