/**
 * The catalog at its design size and above, on the embedded git host, with the real process.
 * `[PORTICO_EXECUTABLE=dist/portico] bun bench/catalog.ts [entities…]` (default 1000 10000 50000); without it, from source
 */
import { join } from 'node:path'
import { load } from 'js-yaml'
import { type ParsedFile, parseFile } from '#src/lib/domain/catalog/parse-file.ts'
import { type CatalogFilter, selectPage } from '#src/lib/domain/catalog/query.ts'
import { buildSnapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { ObjectId, RepositoryPath } from '#src/lib/names.ts'
import {
  createInstallation,
  median,
  percentile,
  required,
  startPortico,
  untilComplete,
  wrk,
} from './support/installation.ts'
import type { GeneratedFile } from './support/organisation.ts'
import { searchOf } from './support/searches.ts'

const { lifecycles } = pipelineOf()
const sizes = process.argv.slice(2).map(Number)
const PORT = 4182
const executable = process.env['PORTICO_EXECUTABLE']
const STARTS = 5
const KEPT_AFTER_MS = 8_000
const CHANGES = 15
const ROUNDS = 5
const ROUND_SECONDS = 4
const SEARCHES_WITHOUT_HTTP = 4_000

const NO_FILTER: CatalogFilter = {
  kind: [],
  system: [],
  owner: [],
  lifecycle: [],
  type: [],
  tag: [],
  ownedBy: null,
  q: '',
}

const LIST = '/api/v1/catalog/entities'

for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 50_000]) {
  console.log(`\n${size} entities`)
  const installation = await createInstallation(size)
  const report = (label: string, value: string) => console.log(`  ${label.padEnd(58)} ${value}`)

  report('yardstick: js-yaml loads the same files, ms', yardstickMs(installation.files).toFixed(0))
  const alive: number[] = []
  const complete: number[] = []
  const first: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const portico = await startPortico(installation, PORT, { executable })
    first.push((await untilComplete(() => portico.get(LIST), portico.startedAt)).ms)
    // The executable keeps parsed files five seconds after a load; only the last of these starts lives that long.
    if (start === STARTS - 1) await Bun.sleep(KEPT_AFTER_MS)
    await portico.stop()
  }
  for (let start = 0; start < STARTS; start++) {
    const portico = await startPortico(installation, PORT, { executable })
    alive.push((await untilComplete(() => fetch(`${portico.url}/healthz`), portico.startedAt)).ms)
    await portico.stop()
    const again = await startPortico(installation, PORT, { executable })
    complete.push((await untilComplete(() => again.get(LIST), again.startedAt)).ms)
    await again.stop()
  }
  report(
    'process start to healthz, ms (median, worst)',
    `${median(alive).toFixed(0)}, ${Math.max(...alive).toFixed(0)}`,
  )
  report(
    'process start to first complete list, ms (median, worst)',
    `${median(first).toFixed(0)}, ${Math.max(...first).toFixed(0)}`,
  )
  report(
    'the same of a restart, ms (median, worst)',
    `${median(complete).toFixed(0)}, ${Math.max(...complete).toFixed(0)}`,
  )

  const portico = await startPortico(installation, PORT, { executable })
  const { bytes } = await untilComplete(() => portico.get(LIST), portico.startedAt)
  // The parser thread is stopped after two idle seconds.
  await Bun.sleep(3_000)
  report('whole list, MB', (bytes / 1e6).toFixed(2))
  report('resident after the load, MB', (await portico.residentMegabytes()).toFixed(0))

  const changed: number[] = []
  const file = installation.files.at(Math.floor(size / 2))
  const name = file?.path.split('/').at(-1)?.replace('.yaml', '') ?? ''
  const kind = file?.path.split('/').at(1) ?? ''
  for (let change = 0; change < CHANGES; change++) {
    const marker = `changed-${change}-${Date.now()}`
    await installation.commit([
      {
        path: file?.path ?? '',
        text: file?.text.replace('apiVersion:', `marker: ${marker}\napiVersion:`) ?? '',
      },
    ])
    await portico.refresh()
    const since = performance.now()
    const entity = await (await portico.get(`${LIST}/${kind}/${name}`)).text()
    changed.push(performance.now() - since)
    if (!entity.includes(marker)) throw new Error('an old entity was served')
    await Bun.sleep(50)
  }
  report(
    'one changed file served after the 204, ms (median, worst)',
    `${median(changed).toFixed(1)}, ${Math.max(...changed).toFixed(1)}`,
  )

  const { cookie } = installation
  const withoutHttp = await searchesWithoutHttp(installation.files)
  report(
    'full text, without HTTP, ms (p50, p99)',
    `${median(withoutHttp).toFixed(2)}, ${percentile(withoutHttp, 0.99).toFixed(2)}`,
  )
  const search = (round: number) => searchAsOneClient(`${portico.url}${LIST}`, cookie, round)
  await search(0)
  const p50: number[] = []
  const p99: number[] = []
  const corrected: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const took = await search(round)
    p50.push(median(took))
    p99.push(percentile(took, 0.99))
    corrected.push(percentile(withOmissions(took), 0.99))
  }
  report(
    'full text over HTTP, ms (p50; p99: median, worst; as wrk corrects it)',
    `${median(p50).toFixed(2)}; ${median(p99).toFixed(2)}, ${Math.max(...p99).toFixed(2)}; ${median(corrected).toFixed(2)}`,
  )

  for (const query of ['sort=-name', 'fields=metadata.name,spec.owner']) {
    const since = performance.now()
    const { status } = await readAll(portico.get(`${LIST}?${query}`))
    const firstMs = performance.now() - since
    const again = performance.now()
    await readAll(portico.get(`${LIST}?${query}`))
    const againMs = performance.now() - again
    report(
      `the list with ${query}, ms (first, again), ${status}`,
      `${firstMs.toFixed(0)}, ${againMs.toFixed(0)}`,
    )
  }
  const related: number[] = []
  for (let read = 0; read < ROUNDS; read++) {
    const since = performance.now()
    await readAll(portico.get(`${LIST}/${kind}/${name}/relations`))
    related.push(performance.now() - since)
  }
  report(
    'relations of one entity, ms (first of a snapshot; median)',
    `${(related[0] ?? 0).toFixed(1)}; ${median(related).toFixed(1)}`,
  )

  const single = `${portico.url}${LIST}/${kind}/${name}`
  for (const connections of [1, 16]) {
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      alone.push((await wrk(single, { cookie, connections, seconds: 2 })).p99Ms)
      const reader = readAgainAndAgain(`${portico.url}${LIST}`, cookie)
      beside.push((await wrk(single, { cookie, connections, seconds: 2 })).p99Ms)
      await reader.stop()
    }
    const [before, after] = [median(alone), median(beside)]
    report(
      `single entity, p99 at c=${connections}, ms (alone, beside a list reader)`,
      `${before.toFixed(2)}, ${after.toFixed(2)} = ${(after / before).toFixed(1)} ×`,
    )
  }
  report('resident at the end, MB', (await portico.residentMegabytes()).toFixed(0))
  await portico.stop()

  const sampled = await startPortico(installation, PORT, { sampled: true, executable })
  await untilComplete(() => sampled.get(LIST), sampled.startedAt)
  await Bun.sleep(2_000)
  const quiet: number[] = []
  const during: number[] = []
  const took: number[] = []
  for (let refresh = 0; refresh < ROUNDS; refresh++) {
    await installation.commit(
      installation.files.map(({ path, text }) => ({ path, text: `${text}# again ${refresh}\n` })),
    )
    await sampled.refresh()
    await Bun.sleep(500)
    await sampled.longestStallMs()
    await Bun.sleep(1_000)
    quiet.push(await sampled.longestStallMs())
    const since = performance.now()
    let isStale = true
    while (isStale) {
      const { headers } = await readAll(sampled.get(`${LIST}?limit=1`))
      if (Number(headers.get('x-total-count')) !== size) throw new Error('entities are missing')
      isStale = headers.has('x-catalog-stale')
    }
    took.push(performance.now() - since)
    during.push(await sampled.longestStallMs())
  }
  report('full refresh, every file changed, ms (median)', median(took).toFixed(0))
  report(
    'longest stall of the event loop, ms (quiet; refresh: median, worst)',
    `${median(quiet).toFixed(1)}; ${median(during).toFixed(1)}, ${Math.max(...during).toFixed(1)}`,
  )
  report('resident after the refreshes, MB', (await sampled.residentMegabytes()).toFixed(0))
  await sampled.stop()
  await installation.remove()
}

async function readAll(answer: Promise<Response>): Promise<Pick<Response, 'status' | 'headers'>> {
  const response = await answer
  await response.arrayBuffer()
  return response
}

/** Current speed of the machine: the median of some passes after one that warms up the compiler. */
function yardstickMs(files: readonly GeneratedFile[]): number {
  const passes = Array.from({ length: ROUNDS + 1 }, () => {
    const since = performance.now()
    for (const { text } of files) load(text)
    return performance.now() - since
  })
  return median(passes.slice(1))
}

/** Durations of some thousand searches in the catalog, in milliseconds. */
async function searchesWithoutHttp(files: readonly GeneratedFile[]): Promise<readonly number[]> {
  const encoder = new TextEncoder()
  const parsed = new Map<ObjectId, ParsedFile>()
  const listed = files.map(({ path, text }, index) => {
    const blob = required(ObjectId.parse(index.toString(16).padStart(40, '0')))
    parsed.set(blob, parseFile(encoder.encode(text), lifecycles))
    return { path: required(RepositoryPath.parse(path)), blob, executable: false }
  })
  const commit = required(listed[0]?.blob)
  const source = {
    commit,
    tree: null,
    directory: required(RepositoryPath.parse('catalog')),
    files: listed,
    skipped: [],
    leftOut: new Map(),
    weights: new Map(),
  }
  const { entities } = await buildSnapshot(source, parsed, undefined)
  return Array.from({ length: SEARCHES_WITHOUT_HTTP }, (_, index) => {
    const { q, ...paging } = searchOf(index, 0)
    const since = performance.now()
    selectPage(entities, { ...NO_FILTER, q }, paging)
    return performance.now() - since
  })
}

/** Durations of answers in milliseconds, for a client with one connection that sends the next request after each answer. */
async function searchAsOneClient(
  url: string,
  cookie: string,
  round: number,
): Promise<readonly number[]> {
  const client = join(import.meta.dir, 'support/one-client.ts')
  const run = Bun.spawn(['bun', client, url, cookie, String(ROUND_SECONDS), String(round)])
  const took: readonly number[] = JSON.parse(await new Response(run.stdout).text())
  return took
}

/** Corrects coordinated omission, as `stats_correct` of wrk does. */
function withOmissions(took: readonly number[]): readonly number[] {
  const interval = took.reduce((sum, ms) => sum + ms, 0) / took.length
  return took.flatMap((ms) =>
    Array.from(
      { length: Math.max(1, Math.floor(ms / interval)) },
      (_, missed) => ms - missed * interval,
    ),
  )
}

/** Load and measurement run in other processes: receiving megabytes here would block the event loop that measures. */
function readAgainAndAgain(url: string, cookie: string) {
  const stop = new AbortController()
  const reading = (async () => {
    while (!stop.signal.aborted) {
      const run = Bun.spawn(['curl', '-sf', '-o', '/dev/null', '-H', `Cookie: ${cookie}`, url])
      if ((await run.exited) !== 0) throw new Error('the list was not answered')
      await Bun.sleep(100)
    }
  })()
  return {
    async stop() {
      stop.abort()
      await reading
    },
  }
}
