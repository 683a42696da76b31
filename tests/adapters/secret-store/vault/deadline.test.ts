import { expect, test } from 'bun:test'
import { createVaultStore } from '#src/lib/adapters/secret-store/vault/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { until } from '#tests/support/until.ts'
import { textCredential } from './open-calls.ts'

const DEADLINE_MS = 100
const TIMEOUT = err({ kind: 'secret_store_timeout' })
const LOGIN = 'auth/approle/login'

/** A store that logs everybody in, and refuses every token; and an adapter for it. */
function open(before: (path: string) => Promise<unknown>) {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    async fetch({ url }) {
      const path = new URL(url).pathname.slice('/v1/'.length)
      requests.push(path)
      await before(path)
      if (path !== LOGIN) {
        return Response.json({ errors: ['permission denied'] }, { status: 403 })
      }
      return Response.json({ auth: { client_token: 's.token', lease_duration: 3_600 } })
    },
  })
  const store = createVaultStore({
    address: server.url,
    namespace: null,
    authority: null,
    service: {
      kind: 'approle',
      mount: 'approle',
      roleId: 'role',
      secretId: textCredential('secret'),
    },
    persons: null,
    mount: 'secret',
    prefix: '',
    environments: [],
    clock: systemClock,
    log: silentLog,
    deadlineMs: DEADLINE_MS,
  })
  return { store, requests, [Symbol.dispose]: () => void server.stop(true) }
}

test('one deadline holds for a login, a request, a look at the token, a new login and a repetition', async () => {
  using slow = open(() => Bun.sleep((DEADLINE_MS * 2) / 5))
  expect(await slow.store.describe(SHOP, SERVICE)).toStrictEqual(TIMEOUT)
})

test('what waited for a login too long sends nothing', async () => {
  const goOn = Promise.withResolvers<void>()
  using slow = open(() => goOn.promise)
  const { store, requests } = slow
  expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(TIMEOUT)
  goOn.resolve()
  await until(async () => (await store.access()).ok)
  expect(requests.filter((path) => path !== LOGIN)).toStrictEqual([])
})
