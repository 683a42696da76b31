import { expect, test } from 'bun:test'
import { createVaultStore } from '#src/lib/adapters/secret-store/vault/index.ts'
import { callsUntil } from '#src/lib/adapters/secret-store/vault/login/calls-until.ts'
import type { ServiceLogin } from '#src/lib/adapters/secret-store/vault/login/method.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { CLOSED, OPEN, openCalls, textCredential } from './open-calls.ts'

const DEADLINE_MS = 100
const TIMEOUT = err({ kind: 'secret_store_timeout' })

const APPROLE: ServiceLogin = {
  kind: 'approle',
  mount: 'approle',
  roleId: 'role',
  secretId: textCredential('secret'),
}

/** A store that logs everybody in, and refuses every token. */
function startStore(before: (path: string) => Promise<unknown>) {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    async fetch({ url }) {
      const path = new URL(url).pathname.slice('/v1/'.length)
      requests.push(path)
      await before(path)
      if (path !== 'auth/approle/login') {
        return Response.json({ errors: ['permission denied'] }, { status: 403 })
      }
      const auth = { client_token: 's.token', lease_duration: 3_600, renewable: true }
      return Response.json({ auth })
    },
  })
  return { url: server.url.origin, requests, [Symbol.dispose]: () => void server.stop(true) }
}

test('one deadline holds for a login, a request, a look at the token, a new login and a repetition', async () => {
  using slow = startStore(() => Bun.sleep((DEADLINE_MS * 2) / 5))
  const store = createVaultStore({
    addresses: [new URL(slow.url)],
    namespace: null,
    authority: null,
    service: APPROLE,
    persons: null,
    mount: 'secret',
    prefix: '',
    environments: [],
    clock: systemClock,
    log: silentLog,
    deadlineMs: DEADLINE_MS,
  })
  expect(await store.describe(SHOP, SERVICE)).toStrictEqual(TIMEOUT)
})

test('a login goes on for the next call, and what waited for it too long sends nothing', async () => {
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  using store = startStore(async (path) => {
    if (!path.endsWith('login')) return
    reached.resolve()
    await goOn.promise
  })
  const at = openCalls(store.url, { service: APPROLE })
  const deadline = new AbortController()
  const write = { method: 'PATCH', path: CLOSED, repeatable: false } as const
  const late = callsUntil(at.calls, deadline.signal).call(SERVICE, write, 'patch')
  await reached.promise
  deadline.abort(new DOMException('late', 'TimeoutError'))
  expect(await late).toStrictEqual(TIMEOUT)
  goOn.resolve()
  await at.settled()
  expect(at.count(OPEN)).toBe(0)
  await at.read(OPEN)
  expect(store.requests.slice(0, 2)).toStrictEqual(['auth/approle/login', OPEN])
  expect(store.requests).not.toContain(CLOSED)
})
