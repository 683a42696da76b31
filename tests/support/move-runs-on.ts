import type { MoveRunEvent } from '#src/lib/domain/promotion/move-runs.ts'
import { createRuns } from '#src/lib/domain/runs/runs.ts'
import type { Database } from '#src/lib/ports/database.ts'
import { ok } from '#src/lib/result.ts'

/** The options of a promotion whose moves are runs of this store. Two of one store are two living processes. */
export const moveRunsOn = (
  store: Database['runs'],
  log: (event: MoveRunEvent) => void = () => {},
) => ({
  runStore: { ...store, releaseDead: async () => ok(undefined) },
  runs: createRuns({
    store,
    platformGroup: 'platform-team',
    onBug: (_, bug) => {
      throw bug
    },
  }),
  explain: ({ kind }: { readonly kind: string }) => ({ code: kind, message: `It is ${kind}` }),
  log,
})
