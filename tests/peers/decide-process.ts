/**
 * A process with one session that decides many times at once, after a line on standard input. Arguments: database URL, URL of the
 * identity provider, session token, number of decisions, how far its clock is ahead in milliseconds, `die` to be killed between the
 * provider's answer and the write of it. Prints the outcomes, each once, with their number.
 */
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createSessionCredentials } from '#src/lib/domain/access/sessions/session-credentials.ts'
import { createSessionRenewal } from '#src/lib/domain/access/sessions/session-renewal.ts'
import { createSessions } from '#src/lib/domain/access/sessions/sessions.ts'
import { createAudit } from '#src/lib/domain/audit/audit.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { SessionStore } from '#src/lib/ports/database/sessions.ts'
import { err, ok } from '#src/lib/result.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { valueOf } from '#tests/support/value-of.ts'

const [url = '', provider = '', token = '', decisions = '1', aheadMs = '0', fate] =
  process.argv.slice(2)
const clock = { ...systemClock, now: () => Date.now() + Number(aheadMs) }
const keyring = keyringOf(KEY_1)
const { sessions: store, audit: auditStore } = valueOf(await openDatabase(url))

let answered = false
const mortal: SessionStore = {
  ...store,
  async reseal(...args) {
    if (answered && fate === 'die') process.kill(process.pid, 'SIGKILL')
    return await store.reseal(...args)
  },
}

const sessions = createSessions({
  store,
  keyring,
  clock,
  log: () => {},
  idleSeconds: 36_000,
  absoluteSeconds: 36_000,
})
const { claims } = createSessionCredentials(
  createSessionRenewal({
    store: mortal,
    sessions,
    keyring,
    identity: {
      async renew({ refreshToken }) {
        const response = await fetch(provider, { method: 'POST', body: refreshToken ?? '' })
        answered = true
        return response.ok
          ? ok((await response.json()) as never)
          : err({ kind: 'identity_rejected' })
      },
    },
    audit: createAudit(auditStore, clock, () => {}),
    clock,
    log: () => {},
  }),
  clock,
  300,
  () => false,
)

const lookup = await sessions.resolve(token)
if (lookup.kind !== 'active') throw new Error(lookup.kind)
console.log('ready')
for await (const _ of console) break
const outcomes = await Promise.all(
  Array.from({ length: Number(decisions) }, () =>
    claims.recent(lookup.session, { requestId: 'r', address: null }),
  ),
)
const counts: Record<string, number> = {}
for (const outcome of outcomes) {
  const text = outcome.ok ? JSON.stringify(outcome.value.principal.groups) : outcome.error.kind
  counts[text] = (counts[text] ?? 0) + 1
}
console.log(JSON.stringify(counts))
process.exit(0)
