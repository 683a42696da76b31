/**
 * The console in a real browser: sizes, processor time of the main thread, heap, how soon a change in a cluster is on the page, and what
 * large namespaces cost. Each figure is a median, beside its goal. `bun bench/console.ts [rounds] [crowd]`: `crowd` for the latter alone.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole } from '#src/lib/http/console/build.ts'
import { openBrowser } from '#tests/support/browser.ts'
import { startPortico as startDemo } from '#tests/support/portico-process.ts'
import { createInstallation, median, startPortico, untilComplete } from './support/installation.ts'
import { startCrowd } from './support/crowd.ts'
import { startLiveChanges } from './support/live-changes.ts'
import { hasText, openMeasured, type } from './support/measured-page.ts'
import { row } from './support/row.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const ONLY = process.argv[3]
const PORT = 4189
const CROWD_PORT = 4190
const KEYS = ['p', 'a', 'y', 'm', 'e', 'n', 't', ...Array<string>(7).fill('Backspace')]
/** A good typist: 150 words a minute. */
const KEY_PAUSE_MS = 80
const SETTLE_MS = 500
const QUIET_MS = 1_500
const HAS_ROWS = `document.querySelector('main tbody tr') !== null`
/** An hour in which a watched object changes each second. */
const CHANGES = 3_600
const CATALOG_GOALS = { 1_000: { rowsMs: 150, keyMs: 25 }, 10_000: { rowsMs: 250, keyMs: 40 } }
const ROLLOUT = { pods: 1_500, seconds: 15, goalMs: 1_500, longestMs: 100 }
const CROWD = { app: 'app-7', firstPod: 140, namespace: 'crowd-10000', goalKb: 100 }
const GOALS = { firstKb: 26, allKb: 40, executableMb: 1, heapMb: 8, changeMs: 250 }

const print = (label: string, value: string, goal: number | string) =>
  row(label, value, `goal ${goal}`)
const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const browser = await openBrowser()
const { document, assets } = await buildConsole()
const files = [document, ...assets]

async function signIn(url: string, user: string): Promise<string> {
  const body = new URLSearchParams({ user })
  const answer = await fetch(`${url}/dev/sign-in`, { method: 'POST', body, redirect: 'manual' })
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

function sizes(): void {
  const markup = new TextDecoder().decode(document.raw)
  const linked = new Set(
    [...markup.matchAll(/(?:href|src)="\/console\/([^"]+)"/g)].map(([, name]) => name),
  )
  const first = files.filter((file) => file === document || linked.has(file.name))
  const brotli = (some: typeof files) => kilobytes(sum(some.map((file) => file.brotli.byteLength)))
  print('what the document loads, and itself, KB of brotli', brotli(first), GOALS.firstKb)
  print('all of it, KB of brotli', brotli(files), GOALS.allKb)
  const forms = files.flatMap((file) => [file.raw, file.brotli, file.gzip])
  const embedded = sum(forms.map((form) => form.byteLength))
  print('embedded in the executable, MB', (embedded / 1e6).toFixed(2), GOALS.executableMb)
}

async function catalog(entities: 1_000 | 10_000): Promise<void> {
  const installation = await createInstallation(entities)
  const portico = await startPortico(installation, PORT)
  await untilComplete(() => portico.get('/api/v1/catalog/entities'), portico.startedAt)
  const rows: number[] = []
  const keys: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = await openMeasured(browser, portico.url, installation.cookie)
    await measured.visit('/catalog', HAS_ROWS)
    const first = await measured.cpuMs()
    await measured.page.waitForTimeout(SETTLE_MS)
    await measured.page.getByRole('searchbox').focus()
    const before = await measured.cpuMs()
    await type(measured.page, KEYS, KEY_PAUSE_MS)
    await measured.page.waitForTimeout(SETTLE_MS)
    // The first round warms up the server.
    if (round > 0) {
      rows.push(first)
      keys.push(((await measured.cpuMs()) - before) / KEYS.length)
    }
    await measured.close()
  }
  await portico.stop()
  await installation.remove()
  const goals = CATALOG_GOALS[entities]
  print(`${entities} entities: CPU to first rows, ms`, median(rows).toFixed(0), goals.rowsMs)
  print(`${entities} entities: CPU per key, ms`, median(keys).toFixed(1), goals.keyMs)
}

/** An hour is one change a second, and one in which every list is asked for again at each minute. */
async function heap(url: string, cookie: string): Promise<void> {
  const changes = startLiveChanges(url)
  const measured = await openMeasured(browser, changes.url, cookie)
  await measured.visit('/clusters/dev-east/payments-dev', hasText('payments-api'))
  await measured.page.waitForTimeout(SETTLE_MS)
  const before = await measured.heapMb()
  const objects = await changes.send(CHANGES)
  await measured.page.waitForTimeout(SETTLE_MS)
  const after = await measured.heapMb()
  print(`heap at first, MB`, before.toFixed(1), GOALS.heapMb)
  print(`heap after ${CHANGES} changes of ${objects} objects, MB`, after.toFixed(1), GOALS.heapMb)
  await measured.close()
  await changes.stop()
}

async function change(url: string, cookie: string): Promise<void> {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const measured = await openMeasured(browser, url, cookie)
    const rollingOut = hasText('Rolling out')
    await measured.visit('/entities/component/checkout-web', hasText('Available'))
    await (
      await measured.watch(`!(${rollingOut})`)
    ).painted
    // Changes that come one upon another are sent together, twice a second.
    await measured.page.waitForTimeout(QUIET_MS)
    const { painted } = await measured.watch(rollingOut)
    const since = Date.now()
    const deployment = `${url}/api/v1/clusters/dev-east/namespaces/payments-dev/deployments/checkout-web`
    const asked = await fetch(`${deployment}/restart`, { method: 'POST', headers: { cookie } })
    if (asked.status !== 202) throw new Error(`restart: ${asked.status}`)
    took.push((await painted) - since)
    await measured.close()
  }
  print(
    'a restart in a cluster is on the page after, ms (wall; worst)',
    `${median(took).toFixed(0)} (${Math.max(...took).toFixed(0)})`,
    GOALS.changeMs,
  )
}

interface TraceEvent {
  readonly name: string
  readonly tid: number
  readonly args: { readonly name?: string }
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number
}

/** Processor time of the longest task on the main thread of a page. */
function longestTaskMs(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents.flatMap(({ name, args, tid }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? tid : [],
    ),
  )
  const tasks = traceEvents.filter(({ tid, name }) => mains.has(tid) && name.endsWith('RunTask'))
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000
}

/** Processor time and the longest task of a tab while all pods of its namespace are replaced. */
async function rollout(portal: Awaited<ReturnType<typeof startCrowd>>): Promise<void> {
  const namespace = `rollout-${ROLLOUT.pods}`
  const measured = await openMeasured(browser, portal.url, portal.cookie)
  await measured.visit(`/clusters/dev-east/${namespace}`, hasText('more pods'))
  await measured.page.waitForTimeout(QUIET_MS)
  await browser.startTracing(measured.page, { categories: ['toplevel'] })
  const before = await measured.cpuMs()
  await portal.rollOut(ROLLOUT.pods, ROLLOUT.seconds)
  const spent = (await measured.cpuMs()) - before
  const longest = longestTaskMs(await browser.stopTracing())
  await measured.close()
  const what = `rollout of ${ROLLOUT.pods} pods`
  print(`${what}, processor of the tab, ms`, spent.toFixed(0), ROLLOUT.goalMs)
  print(`${what}, longest task, ms`, longest.toFixed(0), ROLLOUT.longestMs)
}

/** What the pages of an entity and of its pod get in a crowded namespace. */
async function crowdedPages(portal: Awaited<ReturnType<typeof startCrowd>>): Promise<void> {
  const pod = `${CROWD.app}-5d4f7c8b1-${CROWD.firstPod.toString(36).padStart(5, '0')}`
  for (const [page, path] of [
    ['an entity', `/entities/component/${CROWD.app}`],
    ['a pod', `/clusters/dev-east/${CROWD.namespace}/pods/${pod}`],
  ] as const) {
    const measured = await openMeasured(browser, portal.url, portal.cookie)
    await measured.visit(path, hasText(pod))
    await measured.page.waitForTimeout(2 * QUIET_MS)
    const received = kilobytes(measured.received())
    print(`the page of ${page} in ${CROWD.namespace}, KB`, received, CROWD.goalKb)
    await measured.close()
  }
}

const crowd = await startCrowd(CROWD_PORT, CROWD.app, CROWD.namespace)
await untilComplete(() => crowd.get('/readyz'), crowd.startedAt)
try {
  await crowdedPages(crowd)
  await rollout(crowd)
} finally {
  await crowd.remove()
}
if (ONLY === 'crowd') {
  await browser.close()
  process.exit(0)
}

sizes()
const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const demo = await startDemo(['demo'], { PORT: '0', DATA_DIR: folder })
const cookie = await signIn(demo.url, 'manager')
await catalog(1_000)
await catalog(10_000)
await heap(demo.url, cookie)
await change(demo.url, cookie)
await demo[Symbol.asyncDispose]()
await browser.close()
await rm(folder, { recursive: true, force: true })
