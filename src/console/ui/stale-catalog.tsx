import type { Resource } from '../api/resource.ts'
import { Icon } from './icon.tsx'
import { Time } from './time.tsx'

/** Portico answers reads alone while its database is away, and from older files while the git host is, or while it reads a large change. */
export function StaleCatalog({
  answer: { headers, at },
}: {
  readonly answer: Pick<Resource<unknown>, 'headers' | 'at'>
}) {
  const isReadOnly = headers?.get('x-portico-read-only') === 'database'
  if (!isReadOnly && headers?.get('x-catalog-stale') !== 'true') return null
  const age = Number(headers.get('x-catalog-age') ?? 0) * 1_000
  return (
    <div class="notice catalog-stale" data-tone="warn" role="status">
      <Icon name="warn" />
      {isReadOnly ? (
        <p>Read-only: the database is away. Nothing can be changed until it is back.</p>
      ) : (
        <p>
          This is older than the gitops repository, which cannot be read or has changed a lot at
          once. Last read: <Time at={new Date(at - age).toISOString()} />.
        </p>
      )}
    </div>
  )
}
