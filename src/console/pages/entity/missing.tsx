import type { Problem } from '../../api/result.ts'
import { pathOf } from '../../paths.ts'
import { parseSuggestion } from './entity.ts'
import { Empty, ProblemNote } from '../../ui/parts.tsx'

interface MissingProps {
  readonly problem: Problem
  readonly kind: string
  readonly retry: () => unknown
}

/** The entity cannot be shown: there is none, or the catalog could not be read. */
export function Missing({ problem, kind, retry }: MissingProps) {
  if (problem.code !== 'entity_not_found') return <ProblemNote problem={problem} retry={retry} />
  const near = (problem.suggestions ?? []).flatMap(parseSuggestion)
  return (
    <Empty title={`The catalog has no ${kind} of this name`}>
      {near.length > 0 && (
        <p>
          Did you mean{' '}
          {near.map((found, index) => (
            <>
              {index > 0 && ', '}
              <a key={found.name} href={pathOf('entity', found)}>
                <bdi>{found.name}</bdi>
              </a>{' '}
              ({found.kind})
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
