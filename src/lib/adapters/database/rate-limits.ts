import type { EndedCounter, RateLimitStore } from '../../ports/database/rate-limits.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

const toCounter = rowOf<EndedCounter>({ endsAt: true, count: true })

export function createRateLimitStore(engine: Engine): RateLimitStore {
  const { all } = statementsOf(engine)
  return {
    async add({ name, subject, endsAt }, count) {
      const added = await engine.run(
        (sql) => sql<{ count: number | string }[]>`
        INSERT INTO rate_counter (name, subject, ends_at, count)
        VALUES (${name}, ${subject}, ${endsAt}, ${count})
        ON CONFLICT (name, subject, ends_at) DO UPDATE SET count = rate_counter.count + excluded.count
        RETURNING count`,
      )
      return added.ok ? ok(Number(added.value[0]?.count)) : added
    },

    removeEnded: (endedBefore) =>
      all(
        (sql) => sql<Stored<EndedCounter>[]>`
        DELETE FROM rate_counter WHERE ends_at <= ${endedBefore}
        RETURNING name, subject, ends_at AS "endsAt", count`,
        toCounter,
      ),
  }
}
