/**
 * Throughput compared with a bare `Bun.serve` that sends the same prepared bytes. 1,000 entities, wrk at 1 and 16
 * connections, interleaved rounds, medians. `bun bench/serving.ts [rounds] [seconds]`
 */
import { startBareServer } from './support/bare.ts'
import {
  createInstallation,
  median,
  startPortico,
  untilComplete,
  wrk,
} from './support/installation.ts'

const ENTITIES = 1_000
const rounds = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 2)

const GOALS = [
  ['whole list', '/api/v1/catalog/entities', 0.85],
  [
    'filtered page of 20',
    '/api/v1/catalog/entities?kind=component&lifecycle=production&limit=20',
    0.6,
  ],
  ['single entity', '', 0.5],
] as const

const installation = await createInstallation(ENTITIES)
const portico = await startPortico(installation, 4180)
await untilComplete(() => portico.get('/api/v1/catalog/entities'), portico.startedAt)
const first = installation.files.find(({ path }) => path.startsWith('catalog/component/'))
const name = first?.path.split('/').at(-1)?.replace('.yaml', '')
const targets = GOALS.map(([label, path, goal]) => ({
  label,
  goal,
  path: path || `/api/v1/catalog/entities/component/${name}`,
}))

const bare = await startBareServer({
  port: 4_181,
  cookie: installation.cookie,
  origin: portico.url,
  paths: targets.map(({ path }) => path),
})

const requestsPerSecond = async (url: string, connections: number): Promise<number> =>
  (await wrk(url, { cookie: installation.cookie, connections, seconds })).perSecond

for (const { label, path, goal } of targets) {
  const bytes = (await (await portico.get(path)).arrayBuffer()).byteLength
  for (const connections of [1, 16]) {
    const ours: number[] = []
    const limit: number[] = []
    for (let round = 0; round < rounds; round++) {
      limit.push(await requestsPerSecond(`${bare.url}${path}`, connections))
      ours.push(await requestsPerSecond(`${portico.url}${path}`, connections))
    }
    const ratio = median(ours) / median(limit)
    console.log(
      `${label.padEnd(20)} ${String(bytes).padStart(7)} B  c=${String(connections).padEnd(2)}  ${median(ours).toFixed(0).padStart(7)}/s of ${median(limit).toFixed(0).padStart(7)}/s  ratio ${ratio.toFixed(2)}  goal ${goal}  ${ratio >= goal ? 'met' : 'MISSED'}`,
    )
  }
}
bare.stop()
await portico.stop()
await installation.remove()
