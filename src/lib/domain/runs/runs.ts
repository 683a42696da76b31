import type { RunId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RunRow } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { isPlatform, type Principal } from '../access/principal.ts'
import { createRunEvents, type RunEventsOptions } from './events.ts'

export type RunNotFound = { readonly kind: 'run_not_found' }

export interface RunsOptions extends RunEventsOptions {
  readonly platformGroup: string
}

export type Runs = ReturnType<typeof createRuns>

/** Runs of every kind for readers. People see their own, and the platform team sees all. Somebody else's counts as missing. */
export function createRuns({ store, platformGroup, onBug }: RunsOptions) {
  return {
    ...createRunEvents({ store, onBug }),

    async find(
      principal: Principal,
      id: RunId,
    ): Promise<Result<RunRow, RunNotFound | DatabaseFailure>> {
      const found = await store.find(id)
      if (!found.ok) return found
      const row = found.value
      const isOwn = row?.issuer === principal.issuer && row.subject === principal.subject
      return row !== null && (isOwn || isPlatform(principal, platformGroup))
        ? ok(row)
        : err({ kind: 'run_not_found' })
    },
  }
}
