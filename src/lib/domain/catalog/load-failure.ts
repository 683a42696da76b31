import type { GitFailure } from '../../ports/git-host.ts'

export type LoadFailure =
  | GitFailure
  /** The catalog, or the file of an entity, is not read yet. */
  | { readonly kind: 'catalog_loading' }
  /** The branch has lost all its entities, which is more often an accident than an intention. */
  | { readonly kind: 'catalog_empty' }
  /** The parser has no thread. `reason` is for the log. */
  | { readonly kind: 'catalog_parser_failed'; readonly reason: string }

/** Whether nothing newer can be had for now: the previous snapshot may be served although it was invalidated. */
export const isOutage = (failure: LoadFailure): boolean =>
  isAway(failure) || failure.kind === 'git_host_error'

/** An outage that is no fault of the repository. */
export const isAway = ({ kind }: LoadFailure): boolean => AWAY.has(kind)

const AWAY: ReadonlySet<LoadFailure['kind']> = new Set([
  'git_host_unreachable',
  'git_host_timeout',
  'git_rate_limited',
  'catalog_loading',
  'catalog_empty',
  'catalog_parser_failed',
])
