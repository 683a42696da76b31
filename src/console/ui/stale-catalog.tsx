import type { Resource } from '../api/resource.ts'
import { Icon } from './icon.tsx'
import { Time } from './time.tsx'

export interface StaleCatalogProps {
  readonly answer: Pick<Resource<unknown>, 'headers' | 'at'>
}

/** Portico answers reads alone while its database does not answer. */
function ReadOnly() {
  return (
    <div class="notice" data-tone="warn" role="status">
      <Icon name="warn" />
      <p>Read-only: the database is away. Nothing can be changed until it is back.</p>
    </div>
  )
}

/** Portico answers from older files while the git host does not answer, or while it reads a large change. */
export function StaleCatalog({ answer: { headers, at } }: StaleCatalogProps) {
  if (headers?.get('x-portico-read-only') === 'database') return <ReadOnly />
  if (headers?.get('x-catalog-stale') !== 'true') return null
  const age = Number(headers.get('x-catalog-age') ?? 0) * 1_000
  return (
    <div class="notice catalog-stale" data-tone="warn" role="status">
      <Icon name="warn" />
      <p>
        This is older than the gitops repository, which cannot be read or has changed a lot at once.
        Last read: <Time at={new Date(at - age).toISOString()} />.
      </p>
    </div>
  )
}
