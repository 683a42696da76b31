import type { RateLimitStore } from '../../ports/database/rate-limits.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly name: string
  readonly subject: string
  readonly ends_at: number | string
  readonly count: number | string
}

export const createRateLimitStore = (engine: Engine): RateLimitStore => ({
  async add({ name, subject, endsAt }, count) {
    const added = await engine.run(
      (sql) => sql<Pick<Columns, 'count'>[]>`
      INSERT INTO rate_counter (name, subject, ends_at, count)
      VALUES (${name}, ${subject}, ${endsAt}, ${count})
      ON CONFLICT (name, subject, ends_at) DO UPDATE SET count = rate_counter.count + excluded.count
      RETURNING count`,
    )
    return added.ok ? ok(Number(added.value[0]?.count)) : added
  },

  async removeEnded(endedBefore) {
    const removed = await engine.run(
      (sql) => sql<Columns[]>`
      DELETE FROM rate_counter WHERE ends_at <= ${endedBefore}
      RETURNING name, subject, ends_at, count`,
    )
    if (!removed.ok) return removed
    return ok(
      removed.value.map(({ name, subject, ends_at: endsAt, count }) => ({
        name,
        subject,
        endsAt: Number(endsAt),
        count: Number(count),
      })),
    )
  },
})
