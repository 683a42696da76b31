/**
 * What grants cost, at a demo: tokens, a read with a token compared with one with a session, a tool compared with its route, and the
 * command line. In turns, medians. `bun bench/grants.ts [requests]`; `PORTICO_EXECUTABLE` names an executable.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenAtDemo, tokensAtDemo } from '#tests/support/demo-consent.ts'
import { runPortico, startPortico } from '#tests/support/portico-process.ts'
import { median } from './support/installation.ts'
import { row } from './support/row.ts'

/** A grant calls 60 tools a minute. */
const CALLS_PER_GRANT = 50
const COMMANDS = 15
const GOALS = {
  tokenMs: 5,
  session: 1.3,
  route: 2,
  listBytes: 32 * 1024,
  startMs: 120,
  statusMs: 250,
}
const SCOPE = 'catalog:read clusters:read scaffold:write promotion:write'
const requests = Number(process.argv[2] ?? 1_000)

const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const { url: portal, ...portico } = await startPortico(['demo'], { PORT: '0', DATA_DIR: folder })
const verdict = (is: number, goal: number) => (is <= goal ? ' met' : ' MISSED')

async function timed(path: string, init: RequestInit): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${portal}${path}`, init)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return performance.now() - startedAt
}

/** Medians of two, one after the other each time, without the first tenth. */
async function inTurns(
  times: number,
  one: (time: number) => Promise<number>,
  other: (time: number) => Promise<number>,
): Promise<readonly [number, number]> {
  const took: [number[], number[]] = [[], []]
  for (let time = 0; time < times; time++) {
    const both = [await one(time), await other(time)] as const
    if (time >= times / 10) for (const index of [0, 1] as const) took[index].push(both[index])
  }
  return [median(took[0]), median(took[1])]
}

async function compare(
  label: string,
  goal: number,
  ...measured: Parameters<typeof inTurns>
): Promise<void> {
  const [base, subject] = await inTurns(...measured)
  const ratio = subject / base
  row(
    label,
    `${base.toFixed(2)} ms`,
    `${subject.toFixed(2)} ms`,
    `${ratio.toFixed(2)}${verdict(ratio, goal)}`,
  )
}

const ofApi = { scope: SCOPE, resource: portal }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

let { refresh_token: refreshToken } = await tokensAtDemo(portal, 'manager', ofApi)
const renewals: number[] = []
for (let time = 0; time < requests / 5; time++) {
  const startedAt = performance.now()
  const answer = await fetch(`${portal}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'portico',
      refresh_token: refreshToken,
    }),
  })
  refreshToken = ((await answer.json()) as { readonly refresh_token: string }).refresh_token
  renewals.push(performance.now() - startedAt)
}
const renewal = median(renewals)
row('/oauth/token, a refresh', `${renewal.toFixed(2)} ms${verdict(renewal, GOALS.tokenMs)}`)

const signedIn = await fetch(`${portal}/dev/sign-in`, {
  method: 'POST',
  body: new URLSearchParams({ user: 'manager' }),
  redirect: 'manual',
})
const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
const token = await tokenAtDemo(portal, 'manager', ofApi)
const ENTITIES = '/api/v1/catalog/entities?q=payments&limit=20'
await compare(
  'a read: session, token, ratio',
  GOALS.session,
  requests,
  () => timed(ENTITIES, { headers: { cookie } }),
  () => timed(ENTITIES, bearer(token)),
)

const agents: string[] = []
for (let calls = 0; calls < requests / 5; calls += CALLS_PER_GRANT) {
  agents.push(await tokenAtDemo(portal, 'manager', { scope: SCOPE, resource: `${portal}/mcp` }))
}
const message = (method: string, params: object, time: number) => ({
  method: 'POST',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  headers: {
    ...bearer(agents[Math.floor(time / CALLS_PER_GRANT)] ?? '').headers,
    'content-type': 'application/json',
  },
})
const search = { name: 'catalog_search', arguments: { q: 'payments' } }
await compare(
  'catalog_search: route, tool, ratio',
  GOALS.route,
  requests / 5,
  () => timed(ENTITIES, bearer(token)),
  (time) => timed('/mcp', message('tools/call', search, time)),
)
const tools = await (await fetch(`${portal}/mcp`, message('tools/list', {}, 0))).text()
row('tools/list', `${tools.length} bytes${verdict(tools.length, GOALS.listBytes)}`)

const commands = [
  ['start of the command line', ['completion', 'bash'], GOALS.startMs],
  ['portico status', ['status', 'ledger'], GOALS.statusMs],
] as const
for (const [label, command, goal] of commands) {
  const took: number[] = []
  for (let time = 0; time < COMMANDS; time++) {
    const startedAt = performance.now()
    const { exitCode } = await runPortico(command, { PORTICO_URL: portal, PORTICO_TOKEN: token })
    if (exitCode !== 0) throw new Error(`${label} ended with ${exitCode}`)
    took.push(performance.now() - startedAt)
  }
  row(label, `${median(took).toFixed(0)} ms${verdict(median(took), goal)}`)
}
await portico[Symbol.asyncDispose]()
await rm(folder, { recursive: true, force: true })
