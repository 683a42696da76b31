import type { RunId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunEventRow, RunRow } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { isPlatform, type Principal } from '../access/principal.ts'
import { createRunEvents, type RunEventsOptions } from './events.ts'

export type RunNotFound = { readonly kind: 'run_not_found' }

export type Runs = ReturnType<typeof createRuns>

/**
 * Runs of every kind for readers. People see their own, by a grant for teams those of the teams, and the platform team sees all. Somebody
 * else's counts as missing.
 */
export function createRuns({
  store,
  platformGroup,
  onBug,
}: RunEventsOptions & { readonly platformGroup: string }) {
  const sees = (
    principal: Principal,
    { issuer, subject, team }: Pick<RunRow, 'issuer' | 'subject' | 'team'>,
  ): boolean =>
    isPlatform(principal, platformGroup) ||
    (principal.issuer === issuer &&
      principal.subject === subject &&
      (principal.onlyTeams?.includes(team) ?? true))

  return {
    ...createRunEvents({ store, onBug }),

    sees,

    /** The events of a run so far, retries included. The caller has found the run. */
    eventsOf: (id: RunId): Promise<Result<readonly RunEventRow[], DatabaseFailure>> =>
      store.events(id, 0),

    async find(
      principal: Principal,
      id: RunId,
    ): Promise<Result<RunRow, RunNotFound | DatabaseFailure>> {
      const found = await store.find(id)
      if (!found.ok) return found
      const row = found.value
      return row !== null && sees(principal, row) ? ok(row) : err({ kind: 'run_not_found' })
    },
  }
}
