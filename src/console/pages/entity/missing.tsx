import type { Problem } from '../../api/result.ts'
import { pathOf } from '../../paths.ts'
import { EntityLink } from '../../ui/link.tsx'
import { entityOf } from '../../ui/names.ts'
import { Empty } from '../../ui/parts.tsx'

/** There is no such entity. It may have a similar name, or a mistake in its file. */
export function Missing({ problem, kind }: { readonly problem: Problem; readonly kind: string }) {
  const near = (problem.suggestions ?? []).map(entityOf).filter((entity) => entity !== null)
  return (
    <Empty title={`The catalog has no ${kind} of this name`}>
      {near.length > 0 && (
        <p>
          Did you mean{' '}
          {near.map((found, index) => (
            <>
              {index > 0 && ', '}
              <EntityLink key={found.name} to={found} /> ({found.kind})
            </>
          ))}
          ?
        </p>
      )}
      <p>
        A file with a mistake hides its entities: look at the{' '}
        <a href={pathOf('problems', {})}>problems</a>, or search the{' '}
        <a href={pathOf('catalog', {})}>catalog</a>.
      </p>
    </Empty>
  )
}
