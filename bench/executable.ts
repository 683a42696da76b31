/**
 * The executable against the source that it is built from, in interleaved rounds: from exec to the first answers and memory at
 * rest on a small catalog, and from exec to the first complete list of a large one. `bun bench/executable.ts [entities]`
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '#scripts/build.ts'
import {
  createInstallation,
  type Installation,
  median,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { row } from './support/row.ts'

const ENTITIES = Number(process.argv[2] ?? 10_000)
const SMALL = 10
const PORT = 4184
const STARTS = 20
const LISTS = 7
const RESTS = 3
const REST_MS = 10_000
const KEPT_AFTER_MS = 8_000
const PAUSE_MS = 1
const GOALS = { healthzMs: 80, residentMb: 75, listMs: 600 }

const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const outfile = join(scratch, 'portico')
await build({ outfile, commit: 'benchmark' })
const FORMS = { executable: outfile, source: undefined } as const
type Form = keyof typeof FORMS
type Portico = Awaited<ReturnType<typeof startPortico>>

const shown = (values: readonly number[]) =>
  `${median(values).toFixed(0)}, ${Math.max(...values).toFixed(0)}`

/** One figure of the executable and of the source, from separate processes. */
async function compare(
  label: string,
  installation: Installation,
  rounds: number,
  measure: (portico: Portico) => Promise<number>,
  before: () => Promise<void> = async () => {},
): Promise<void> {
  const measured: Record<Form, number[]> = { executable: [], source: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const form of ['executable', 'source'] as const) {
      await before()
      const portico = await startPortico(installation, PORT, { executable: FORMS[form] })
      measured[form].push(await measure(portico))
      await portico.stop()
    }
  }
  row(label, shown(measured.executable), shown(measured.source))
}

const first = (path: string, pauseMs?: number) => async (portico: Portico) =>
  (await untilComplete(() => portico.get(path), portico.startedAt, pauseMs)).ms
const soon = (path: string) => first(path, PAUSE_MS)

async function atRest(portico: Portico): Promise<number> {
  await first('/readyz')(portico)
  await Bun.sleep(REST_MS)
  return portico.residentMegabytes()
}

row(`MB on disk: ${((await stat(outfile)).size / 1e6).toFixed(0)}`, 'executable', 'source')
const small = await createInstallation(SMALL)
await compare(`exec to /healthz, ms (goal ${GOALS.healthzMs})`, small, STARTS, soon('/healthz'))
await compare('exec to /readyz, ms', small, STARTS, soon('/readyz'))
await compare(`resident after 10 s, MB (goal ${GOALS.residentMb})`, small, RESTS, atRest)
await small.remove()

const large = await createInstallation(ENTITIES)
const list = first('/api/v1/catalog/entities')
await compare(
  `exec to the first list of ${ENTITIES} entities, ms (goal ${GOALS.listMs})`,
  large,
  LISTS,
  list,
  () => rm(join(large.directory, 'catalog.parsed'), { force: true }),
)
const once = await startPortico(large, PORT, { executable: outfile })
await list(once)
await Bun.sleep(KEPT_AFTER_MS)
await once.stop()
await compare('  again, with what was kept', large, LISTS, list)
await large.remove()
await rm(scratch, { recursive: true, force: true })
