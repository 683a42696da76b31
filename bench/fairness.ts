/**
 * What one person who does anything but read costs the others: the demo in its own process, on its embedded adapters. A person's clients
 * clone, follow logs, open streams of twenty topics, begin projects and have files checked, while another person asks for a list and for a
 * state. The limits are those of an installation. Ratios to the quiet service of the same run. `bun bench/fairness.ts [seconds]`
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timesDuring } from './support/clients.ts'
import { startDemo } from './support/demo.ts'
import { percentile } from './support/installation.ts'
import { generateOrganisation } from './support/organisation.ts'
import { row } from './support/row.ts'

const SECONDS = Number(process.argv[2] ?? 4)
const PORT = 4_191
const ORIGIN = `http://127.0.0.1:${PORT}`
const WARM_UP_MS = 2_000
const FILES_CHECKED = 20
/** The demo's password for git. */
const GIT_URL = `http://dev:demo@127.0.0.1:${PORT}/git/acme/gitops.git`
const PROBES = {
  list: '/api/v1/catalog/entities?kind=component&limit=20',
  state: '/api/v1/catalog/entities/component/payments-api/promotion',
}

/** One client of a kind: does one thing, and says whether it was refused. */
type Act = (cookie: string, client: number) => Promise<boolean>

const ask = async (path: string, init: RequestInit): Promise<boolean> => {
  const response = await fetch(`${ORIGIN}${path}`, init)
  await response.arrayBuffer()
  return !response.ok
}

/** Opens a stream, reads it for a second, and leaves. */
const follow = async (path: string, cookie: string): Promise<boolean> => {
  const leaving = AbortSignal.timeout(1_000)
  try {
    const response = await fetch(`${ORIGIN}${path}`, { headers: { cookie }, signal: leaving })
    for await (const _ of response.body ?? []);
    return !response.ok
  } catch (error) {
    if (leaving.aborted) return false
    throw error
  }
}

const TOPICS = Array.from({ length: 18 }, (_, index) => `promotion:component/service-${index}`)
const CHECKED = generateOrganisation(FILES_CHECKED)
  .map(({ text }) => text)
  .join('---\n')

const acts = {
  clones: {
    clients: 8,
    act: async (_, client) => {
      const target = join(folder, `clone-${client}`)
      await rm(target, { recursive: true, force: true })
      const clone = Bun.spawn(['git', 'clone', '-q', '--bare', GIT_URL, target], {
        env: { PATH: process.env['PATH'] ?? '', GIT_TERMINAL_PROMPT: '0' },
        stderr: 'ignore',
      })
      return (await clone.exited) !== 0
    },
  },
  'follows of logs': {
    clients: 100,
    act: (cookie) =>
      follow(
        '/api/v1/clusters/dev-east/namespaces/payments-dev/workloads/deployment/checkout-web/log?follow=true',
        cookie,
      ),
  },
  'streams of 20 topics': {
    clients: 100,
    act: (cookie) =>
      follow(`/api/v1/events?topics=${['catalog', 'promotions', ...TOPICS].join()}`, cookie),
  },
  validations: {
    clients: 100,
    act: (cookie) =>
      ask('/api/v1/catalog/validate', {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/yaml' },
        body: CHECKED,
      }),
  },
  /** The last ones: what they have begun goes on after them. */
  'new projects': {
    clients: 16,
    act: (cookie, client) =>
      ask('/api/v1/scaffold', {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({
          templateId: 'bun-service',
          appName: `app-${client}-${crypto.randomUUID().slice(0, 8)}`,
          team: 'payments',
          namespace: 'payments-dev',
        }),
      }),
  },
} as const satisfies Record<string, { readonly clients: number; readonly act: Act }>
type Kind = keyof typeof acts

const isKind = (text: string | undefined): text is Kind => text !== undefined && text in acts

const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const [, , , kind, cookie] = process.argv
if (isKind(kind)) await runClients(kind, cookie ?? '')
else await measure()
await rm(folder, { recursive: true, force: true })

/** The clients of one person, in a process of their own. */
async function runClients(kind: Kind, cookie: string): Promise<void> {
  const { clients, act } = acts[kind]
  const endsAt = performance.now() + SECONDS * 1_000
  const counts = { done: 0, refused: 0 }
  const client = async (_: unknown, index: number) => {
    while (performance.now() < endsAt) counts[(await act(cookie, index)) ? 'refused' : 'done'] += 1
  }
  await Promise.all(Array.from({ length: clients }, client))
  console.log(JSON.stringify(counts))
}

async function medianDuring(path: string, cookie: string, work: Promise<unknown>) {
  return percentile(await timesDuring(`${ORIGIN}${path}`, cookie, work), 0.5)
}

async function measure(): Promise<void> {
  // The others ask more often than a person does.
  const { child, signIn } = startDemo(PORT, folder, { READS_PER_MINUTE: '100000' })
  try {
    const dev = await signIn('dev')
    const platform = await signIn('platform')
    const ms = (value: number) => value.toFixed(1)
    await medianDuring(PROBES.state, platform, Bun.sleep(WARM_UP_MS))
    row('another person, p50 ms', 'quiet', 'beside', 'ratio', 'done, refused a second')
    const quiet = new Map<string, number>()
    for (const path of Object.values(PROBES)) {
      quiet.set(path, await medianDuring(path, platform, Bun.sleep(SECONDS * 1_000)))
    }
    for (const kind of Object.keys(acts)) {
      for (const [seen, path] of Object.entries(PROBES)) {
        const command = ['nice', '-n', '19', 'bun', import.meta.path, String(SECONDS), kind, dev]
        const clients = Bun.spawn(command, {
          env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '1000' },
          stdout: 'pipe',
        })
        const said = new Response(clients.stdout).json()
        const beside = await medianDuring(path, platform, said)
        const { done, refused } = (await said) as { done: number; refused: number }
        const rates = [done, refused].map((count) => (count / SECONDS).toFixed(0)).join(', ')
        const alone = quiet.get(path) ?? 0
        row(`${seen}, beside ${kind}`, ms(alone), ms(beside), (beside / alone).toFixed(1), rates)
      }
    }
  } finally {
    child.kill()
    await child.exited
  }
}
