import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { describePostgres } from '#tests/peers/postgres.ts'
import { nextMinute, openPortal, type TestPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { auditRows } from '#tests/support/audit-rows.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const REFRESH = '/api/v1/webhooks/catalog/refresh'
const CLIENT = '203.0.113.7'
const MINUTE = 60_000
const call = (portal: TestPortal, token = 'not-the-token-of-tests') =>
  portal.request(REFRESH, {
    method: 'POST',
    from: CLIENT,
    headers: { authorization: `Bearer ${token}` },
  })

const statuses = async (portal: TestPortal, calls: number) =>
  (await Array.fromAsync({ length: calls }, () => call(portal))).map(({ status }) => status)

/** Two portals at the beginning of the same minute. */
async function openReplicas(databaseUrl: string, perMinute: number) {
  const environment = { FAILED_WEBHOOK_CALLS_PER_MINUTE: String(perMinute) }
  const portals = [
    await openPortal({ databaseUrl, environment }),
    await openPortal({ databaseUrl, environment }),
  ] as const
  nextMinute(...portals)
  return {
    portals,
    /** Lets minutes pass, with the timer of each portal. */
    async sweep(minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (const { clock, portal } of portals) {
          clock.advance(MINUTE)
          await portal.limits.sweep()
        }
      }
    },
    async [Symbol.asyncDispose]() {
      for (const portal of portals) await portal[Symbol.asyncDispose]()
    },
  }
}

describe('two portals on one SQLite file', () => {
  const directory = folderOfTests()
  let files = 0
  async function databaseUrl() {
    files += 1
    return `sqlite:${join(directory, String(files))}`
  }

  test('hand over what they refused when they end', async () => {
    const url = await databaseUrl()
    {
      await using ended = await openReplicas(url, 1)
      expect(await statuses(ended.portals[0], 4)).toStrictEqual([401, 429, 429, 429])
    }
    await using replicas = await openReplicas(url, 1)
    await replicas.sweep(4)
    const rows = await auditRows(replicas.portals[1])
    expect(rows.map(({ details }) => details['refused'])).toStrictEqual([undefined, 3])
  })

  test('record a flood at both of them as one row', async () => {
    await using replicas = await openReplicas(await databaseUrl(), 5)
    const [one, two] = replicas.portals
    const answers: number[] = []
    for (let batch = 0; batch < 10; batch += 1) {
      answers.push(...(await statuses(one, 10)), ...(await statuses(two, 10)))
    }
    expect(answers.filter((status) => status === 401)).toHaveLength(5)
    await replicas.sweep(4)
    const rows = await auditRows(one)
    expect(
      rows.map(({ code, address, details }) => [code, address, details['refused']]),
    ).toStrictEqual([
      ...Array.from({ length: 5 }, () => ['webhook_unauthorized', CLIENT, undefined]),
      ['rate_limited', CLIENT, 195],
    ])
  })
})

describePostgres('two portals on one PostgreSQL', (peer) => {
  test('each limits for itself while the database is away, and together again afterwards', async () => {
    await using replicas = await openReplicas(await peer().createDatabase(), 2)
    const [one, two] = replicas.portals
    peer().stop()
    expect(await statuses(one, 4)).toStrictEqual([401, 401, 429, 429])
    expect((await call(one, WEBHOOK_TOKEN)).status).toBe(204)
    expect(await statuses(two, 3)).toStrictEqual([401, 401, 429])
    await peer().start()
    expect(await statuses(two, 1)).toStrictEqual([429])
    await replicas.sweep(4)
    const refused = (await auditRows(one)).map(({ code, details }) => [code, details['refused']])
    expect(refused).toStrictEqual([['rate_limited', 6]])
  })
})
