/**
 * What a sign-in costs beside the provider: login and callback of the service in a process of its own, at the certified provider in
 * another, in one browser's order. The time between the provider's requests and responses, taken at its socket, is subtracted;
 * what the person does at the provider is not counted. `bun bench/sign-in.ts [sign-ins]`
 */
import { spawnOidcPeer } from '#tests/peers/oidc-provider.ts'
import { createCookieJar } from '#tests/support/browser-jar.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startPortico } from '#tests/support/portico-process.ts'
import { createInstallation, median } from './support/installation.ts'
import { row } from './support/row.ts'

const SIGN_INS = Number(process.argv[2] ?? 200)
const WARM_UP = 20
const GOAL_MS = 15
const LOGIN = '/api/v1/auth/login?return_to=/docs'
const SESSION_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`

const installation = await createInstallation(100)
const port = freePort()
const origin = `http://127.0.0.1:${port}`
const peer = await spawnOidcPeer({ publicUrl: origin })
const portico = await startPortico(['serve'], {
  ...peer.settings,
  PORT: String(port),
  HOST: '127.0.0.1',
  PUBLIC_URL: origin,
  DATA_DIR: installation.directory,
  SESSION_KEYS,
  SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 4).toString('base64')}`,
  GITOPS_REPOSITORY: 'acme/gitops',
})

interface Part {
  readonly totalMs: number
  readonly providerMs: number
}
const ours = ({ totalMs, providerMs }: Part): number => totalMs - providerMs

/** A request to the service, and what the provider took of its time. */
async function measured(path: string, cookie: string) {
  await peer.spent()
  const startedAt = performance.now()
  const response = await fetch(`${origin}${path}`, { headers: { cookie }, redirect: 'manual' })
  const totalMs = performance.now() - startedAt
  return { response, part: { totalMs, providerMs: await peer.spent() } }
}

async function signIn(): Promise<{ readonly login: Part; readonly callback: Part }> {
  const jar = createCookieJar()
  const login = await measured(LOGIN, '')
  jar.take(login.response)
  const { pathname, search } = await peer.authorize(login.response.headers.get('location') ?? '')
  const callback = await measured(`${pathname}${search}`, jar.header(pathname))
  if (callback.response.status !== 303) throw new Error(await callback.response.text())
  return { login: login.part, callback: callback.part }
}

for (let turn = 0; turn < WARM_UP; turn++) await signIn()
const signIns: Awaited<ReturnType<typeof signIn>>[] = []
for (let turn = 0; turn < SIGN_INS; turn++) signIns.push(await signIn())

const inMs = (value: number): string => `${value.toFixed(2)} ms`
const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0
function report(label: string, values: readonly number[]): number {
  row(label, inMs(median(values)), inMs(percentile(values, 0.95)))
  return median(values)
}

console.log(`\n${SIGN_INS} sign-ins, one after the other; goal: ${GOAL_MS} ms of ours\n`)
row('', 'median', '95 %')
report(
  'login, ours',
  signIns.map(({ login }) => ours(login)),
)
report(
  'callback, ours',
  signIns.map(({ callback }) => ours(callback)),
)
const added = report(
  'login and callback, ours',
  signIns.map(({ login, callback }) => ours(login) + ours(callback)),
)
report(
  'the provider, meanwhile',
  signIns.map(({ login, callback }) => login.providerMs + callback.providerMs),
)
console.log(added <= GOAL_MS ? '\nwithin the goal' : '\nMISSES THE GOAL')

await portico.end('SIGTERM')
await peer[Symbol.asyncDispose]()
await installation.remove()
process.exitCode = added <= GOAL_MS ? 0 : 1
