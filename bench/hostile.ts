/**
 * What one person or one folder costs everybody else, on a real `portico serve` with the embedded git host.
 * `bun bench/hostile.ts`
 */
import { entity } from '#tests/support/hostile-yaml.ts'
import { plantPaths } from '#tests/support/plant-paths.ts'
import { createInstallation, startPortico, untilComplete } from './support/installation.ts'
import { row } from './support/row.ts'

const ENTITIES = 1_000
const PORT = 8_095
const VALIDATIONS = 150
const ANCHOR_FILES = 400
const ANCHORS = 25_000
const CLIENT_LEAVES_MS = 1_500
const MEMORY_LIMIT_MB = 512

type Portico = Awaited<ReturnType<typeof startPortico>>

const cells = (took: number, worst: { readonly healthMs: number; readonly megabytes: number }) => [
  Math.round(took).toString(),
  Math.round(worst.healthMs).toString(),
  Math.round(worst.megabytes).toString(),
]

/** The slowest answer of `/healthz` and the most resident memory while something goes on. */
async function worstDuring(portico: Portico, work: Promise<unknown>) {
  const worst = { healthMs: 0, megabytes: 0 }
  const state = { isDone: false }
  const done = work.finally(() => (state.isDone = true))
  while (!state.isDone) {
    const askedAt = performance.now()
    await (await portico.get('/healthz')).arrayBuffer()
    worst.healthMs = Math.max(worst.healthMs, performance.now() - askedAt)
    worst.megabytes = Math.max(worst.megabytes, await portico.residentMegabytes())
    await Bun.sleep(10)
  }
  await done
  return worst
}

const listed = (portico: Portico, startedAt: number) =>
  untilComplete(() => portico.get('/api/v1/catalog/entities?limit=1'), startedAt)

const installation = await createInstallation(ENTITIES)
const portico = await startPortico(installation, PORT, { env: { VALIDATIONS_PER_MINUTE: '1000' } })
await listed(portico, portico.startedAt)
row('', 'catalog, ms', 'healthz, ms', 'resident, MB')

const large = Array.from({ length: 60_000 }, (_, index) => `k${index}: value\n`).join('')
const flood = Array.from({ length: VALIDATIONS }, () =>
  fetch(`${portico.url}/api/v1/catalog/validate`, {
    method: 'POST',
    headers: { cookie: installation.cookie, 'content-type': 'application/yaml' },
    body: large,
    signal: AbortSignal.timeout(CLIENT_LEAVES_MS),
  }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  ),
)
const floodedAt = performance.now()
const served = listed(portico, floodedAt)
const duringFlood = await worstDuring(portico, Promise.all([...flood, served]))
row(
  `${VALIDATIONS} validations of 1 MB, whose clients leave`,
  ...cells((await served).ms, duringFlood),
)

/** The time from a webhook until the catalog is served again. */
async function afterChange(label: string): Promise<void> {
  const startedAt = performance.now()
  await portico.refresh()
  const list = listed(portico, startedAt)
  const worst = await worstDuring(portico, list)
  row(label, ...cells((await list).ms, worst))
}

const anchors = Array.from({ length: ANCHORS }, (_, index) => `  - &a${index} 1\n`).join('')
await installation.commit(
  Array.from({ length: ANCHOR_FILES }, (_, index) => ({
    path: `catalog/anchors/${index}.yaml`,
    text: entity(`anchors-${index}`, `list:\n${anchors}`),
  })),
)
await afterChange(`${ANCHOR_FILES} files of ${ANCHORS} anchors, merged`)

await plantPaths(`${installation.directory}/git/acme/gitops.git`, 'catalog', 'nested')
await afterChange('a folder of a hundred million paths, merged')

console.log(`  the limit of the Kubernetes manifest is ${MEMORY_LIMIT_MB} MB`)
await portico.stop()
await installation.remove()
