import { expect, test } from 'bun:test'
import type { DatabaseFailure } from '#src/lib/ports/database/failure.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { openPatiently } from '#src/compose/patience.ts'

/** A database that fails for these reasons, one a try, and then opens. Time passes in pauses alone. */
function openingAfter(...reasons: readonly string[]) {
  const left = [...reasons]
  const lines: string[] = []
  const pauses: number[] = []
  const log = (facts: object, text: string) => lines.push(`${text} ${JSON.stringify(facts)}`)
  const open = async (): Promise<Result<string, DatabaseFailure>> => {
    const reason = left.length > 1 ? left.shift() : left.pop()
    return reason === undefined ? ok('open') : err({ kind: 'database_unavailable', reason })
  }
  const elapsed = () => pauses.reduce((sum, ms) => sum + ms, 0)
  const run = (always = false) => {
    const [reason = ''] = reasons
    return openPatiently(
      always ? async () => err({ kind: 'database_unavailable', reason }) : open,
      {
        log: { info: log, warn: log } as never,
        elapsed,
        pause: async (ms) => void pauses.push(ms),
      },
    )
  }
  return { run, lines, pauses, elapsed }
}

test.each([
  'no answer within 1900 ms',
  'ERR_POSTGRES_CONNECTION_REFUSED',
  'ERR_POSTGRES_CONNECTION_TIMEOUT',
  'ERR_POSTGRES_SERVER_ERROR 57P03',
  'ERR_POSTGRES_SERVER_ERROR 53300',
  'ERR_POSTGRES_SERVER_ERROR 25006',
  'SQLITE_BUSY',
])('%s ends by itself: it is tried again, and said', async (reason) => {
  const world = openingAfter(reason, reason)
  expect(await world.run()).toStrictEqual({ ok: true, value: 'open' })
  expect(world.pauses).toStrictEqual([250, 500])
  expect(world.lines).toHaveLength(3)
  expect(world.lines[0]).toStartWith('the database does not answer yet, the start waits for it')
  expect(world.lines[0]).toContain(reason)
  expect(world.lines[2]).toStartWith('the database answers')
})

test.each([
  'ERR_POSTGRES_SERVER_ERROR 28P01',
  'ERR_POSTGRES_SERVER_ERROR 3D000',
  'ERR_POSTGRES_SERVER_ERROR 42501',
  'ERR_POSTGRES_TLS_NOT_AVAILABLE',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SQLITE_CANTOPEN',
  'the schema has version 99, this program knows 3',
])('%s needs somebody: the start ends at once', async (reason) => {
  const world = openingAfter(reason)
  expect(await world.run()).toMatchObject({ ok: false, error: { reason } })
  expect(world.pauses).toStrictEqual([])
})

test('patience ends, with growing pauses until then', async () => {
  const world = openingAfter('ERR_POSTGRES_CONNECTION_REFUSED')
  expect(await world.run(true)).toMatchObject({ ok: false })
  expect(world.elapsed()).toBeGreaterThanOrEqual(300_000)
  expect(world.elapsed()).toBeLessThan(320_000)
  expect(Math.max(...world.pauses)).toBe(10_000)
})
