/**
 * Promotions with 10 secrets on a real OpenBao and the embedded git host, through the whole application: requests to the store, and
 * the portal's own milliseconds. `PORTICO_OPENBAO=… bun bench/secret-store.ts [promotions]`
 *
 * Own time of a promotion: from its request to its answer, less the time in which a request to the store or a call of the git host was
 * under way. It includes the database. What the portal does while it waits is not in it, so the last column shows all processor time
 * of this process: the difference to promotions without secrets is what secrets cost.
 */
import { openVault } from '#tests/peers/process-secret-store.ts'
import { startOpenBao } from '#tests/peers/openbao.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { letPorticoIn } from '#tests/support/vault-login.ts'
import { median, percentile } from './support/installation.ts'
import { row } from './support/row.ts'
import { createWaitingTime } from './support/waiting-time.ts'

const PROMOTIONS = Number(process.argv[2] ?? 100)
const WARM_UP = 10
const KINDS = ['new entry', 'present entry', 'without secrets'] as const
type Kind = (typeof KINDS)[number]
const SECRETS = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`KEY_${index}`, `value ${index} `.repeat(4)]),
)

const appOf = (kind: Kind, index: number) => `${kind.replace(' ', '-')}-${index}`
const indexes = Array.from({ length: WARM_UP + PROMOTIONS }, (_, index) => index)

await using openbao = await startOpenBao()
const login = await letPorticoIn(openbao)
const vault = await openVault({ ...login.settings, VAULT_ADDR: openbao.url })
for (const index of indexes) {
  const path = `secret/data/payments/${appOf('present entry', index)}/dev/env`
  await openbao.must('POST', path, { data: { OTHER: 'kept' } })
}
await using portal = await openPortal({
  files: Object.assign(
    {},
    ...KINDS.flatMap((kind) =>
      indexes.map((index) => applicationFiles({ app: appOf(kind, index) })),
    ),
  ),
  openSecretStore: () => vault,
})
const cookie = `portal_session=${await portal.signIn('platform')}`

const git = createWaitingTime()
const store = createWaitingTime()
const either = createWaitingTime()
git.watch(portal.git)
either.watch(portal.git)
const { fetch } = globalThis
let requests = 0
globalThis.fetch = Object.assign(
  (...args: Parameters<typeof fetch>) => {
    requests += 1
    return store.during(() => either.during(() => fetch(...args)))
  },
  { preconnect: fetch.preconnect },
)

async function promote(kind: Kind, index: number): Promise<void> {
  const path = `/api/v1/catalog/entities/component/${appOf(kind, index)}/promotion`
  const body = JSON.stringify({
    targetLifecycle: 'development',
    overlayConfig: { replicas: 2, ...(kind !== 'without secrets' && { secrets: SECRETS }) },
  })
  const headers = { host: new URL(ORIGIN).host, cookie, 'content-type': 'application/json' }
  const request = new Request(`${ORIGIN}${path}`, { method: 'POST', headers, body })
  const response = await portal.portal.app.fetch(request, { requestIP: () => null })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`${response.status} ${text}`)
}

const SUBJECTS = ['whole', 'store', 'git', 'own', 'processor'] as const
const MICROSECONDS_PER_MS = 1_000
const take = () => ({ store: store.take(), git: git.take(), either: either.take() })

async function measure(kind: Kind, index: number) {
  take()
  const [processorBefore, since] = [process.cpuUsage(), performance.now()]
  await promote(kind, index)
  const whole = performance.now() - since
  const { user, system } = process.cpuUsage(processorBefore)
  const waited = take()
  const processor = (user + system) / MICROSECONDS_PER_MS
  return { whole, store: waited.store, git: waited.git, own: whole - waited.either, processor }
}

row('ms (p50, p99)', 'requests', ...SUBJECTS)
for (const kind of KINDS) {
  for (const index of indexes.slice(0, WARM_UP)) await promote(kind, index)
  requests = 0
  const measured: Awaited<ReturnType<typeof measure>>[] = []
  for (const index of indexes.slice(WARM_UP)) measured.push(await measure(kind, index))
  const cells = SUBJECTS.map((subject) => {
    const values = measured.map((times) => times[subject])
    return `${median(values).toFixed(1)}, ${percentile(values, 0.99).toFixed(1)}`
  })
  row(kind, (requests / PROMOTIONS).toFixed(1), ...cells)
}
await vault.close()
