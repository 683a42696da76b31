/**
 * What is answered when more is asked than the process can do, and what one person costs the others: `portico serve` with the embedded git
 * host, 1,000 entities and 200 applications. Ratios to the quiet service of the same run. `bun bench/overload.ts [seconds]`
 */
import { applicationFiles } from '#tests/support/application.ts'
import { startBareServer } from './support/bare.ts'
import { type ClientsPlan, runClients, runFlood, timesDuring } from './support/clients.ts'
import {
  createInstallation,
  percentile,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { row } from './support/row.ts'

const SECONDS = Number(process.argv[2] ?? 4)
const ENTITIES = 1_000
const APPLICATIONS = 200
const PORT = 8_096
const BARE_PORT = 8_095
const PATIENCE_MS = 3_000
const PERSONS = 20
const CONNECTIONS = 16
/** Beyond 8,224 a request is refused at once. */
const FLOODS = [256, 1_280, 5_120]
const HOG_CONNECTIONS = 100

const decoder = new TextDecoder()
const appOf = (index: number) => `app-${index}`
const applications = Array.from({ length: APPLICATIONS }, (_, index) =>
  Object.entries(applicationFiles({ app: appOf(index) })).map(([path, content]) => ({
    path,
    text: typeof content === 'string' ? content : decoder.decode(content),
  })),
).flat()

const LIST = ['/api/v1/catalog/entities?kind=component&limit=20']
const STATES = Array.from(
  { length: APPLICATIONS },
  (_, index) => `/api/v1/catalog/entities/component/${appOf(index)}/promotion`,
)
const HISTORY = STATES.map((path) => `${path}/history`)
const ENVIRONMENTS = ['/api/v1/environments']
const MIXED = STATES.slice(0, 50).flatMap((state) => [...LIST, state, ...ENVIRONMENTS])
const READS = { list: LIST, state: STATES, mixed: MIXED }

const installation = await createInstallation(ENTITIES, applications)
const names = Array.from({ length: PERSONS }, (_, index) => `person-${index}`)
const cookies = await installation.signIn(names)
const [victim = ''] = cookies
const [hog = ''] = await installation.signIn(['hog'])
const executable = process.env['PORTICO_EXECUTABLE']
const portico = await startPortico(installation, PORT, {
  executable,
  env: { READS_PER_MINUTE: '100000' },
})
await untilComplete(() => portico.get('/api/v1/catalog/entities?limit=1'), portico.startedAt)
const load = (plan: Pick<ClientsPlan, 'paths' | 'connections'> & Partial<ClientsPlan>) =>
  runClients({ url: portico.url, cookies, seconds: SECONDS, patienceMs: PATIENCE_MS, ...plan })

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)
const percent = (share: number) => `${(share * 100).toFixed(0)} %`

/** How long the answers took that the access log has got since, in milliseconds. */
async function answerTimes(logged: number, paths: readonly string[]): Promise<readonly number[]> {
  const asked = new Set(paths.map((path) => path.split('?')[0]))
  const text = await Bun.file(portico.accessLog).slice(logged).text()
  return text.split('\n').flatMap((line) => {
    if (!line.endsWith('}')) return []
    const { path, status, ms } = JSON.parse(line)
    return status === 200 && asked.has(path) ? [Number(ms)] : []
  })
}

row(
  'clients',
  'answered/s',
  'of capacity',
  'bare, of its own',
  'refused/s',
  'p50 ms',
  'p99 ms',
  'healthz max ms',
)
for (const [name, paths] of Object.entries(READS)) {
  let capacity = 0
  let capacityOfBare = 0
  const origin = portico.url
  const bare = await startBareServer({
    port: BARE_PORT,
    cookie: victim,
    origin,
    paths,
    coding: 'gzip',
  })
  for (const connections of [CONNECTIONS, ...FLOODS]) {
    const limit = await runFlood({ url: bare.url, paths, cookies, seconds: SECONDS, connections })
    capacityOfBare ||= limit.answeredPerSecond
    const logged = Bun.file(portico.accessLog).size
    const flood = runFlood({ url: portico.url, paths, cookies, seconds: SECONDS, connections })
    const probes = await timesDuring(`${portico.url}/healthz`, '', flood)
    const { answeredPerSecond, refusedPerSecond } = await flood
    capacity ||= answeredPerSecond
    const times = await answerTimes(logged, paths)
    row(
      `${name}, ${connections}`,
      ms(answeredPerSecond),
      percent(answeredPerSecond / capacity),
      percent(limit.answeredPerSecond / capacityOfBare),
      ms(refusedPerSecond),
      ms(percentile(times, 0.5)),
      ms(percentile(times, 0.99)),
      ms(Math.max(...probes)),
    )
    const after = performance.now()
    await untilComplete(() => portico.get(paths[0] ?? ''), after)
    const recovered = performance.now() - after
    if (recovered > 100) console.log(`  answered again after ${ms(recovered)} ms`)
  }
  bare.stop()
}

row('others, p50 ms', 'quiet', 'one person', 'ratio')
for (const [name, paths] of Object.entries({ ...READS, history: HISTORY })) {
  for (const [seen, path] of Object.entries({ list: LIST[0], state: STATES[7] })) {
    const quiet = percentile(
      await timesDuring(`${portico.url}${path}`, victim, Bun.sleep(SECONDS * 500)),
      0.5,
    )
    const clients = load({ paths, cookies: [hog], connections: HOG_CONNECTIONS })
    const loaded = percentile(await timesDuring(`${portico.url}${path}`, victim, clients), 0.5)
    row(`${seen}, of ${name}`, ms(quiet), ms(loaded), (loaded / quiet).toFixed(1))
  }
}
await portico.stop()
await installation.remove()
