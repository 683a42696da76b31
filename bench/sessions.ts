/**
 * A read with a session on PostgreSQL compared with one on SQLite: real processes, in turns, medians. A process reuses a session for a
 * second, to which the goal applies; "each from the store" uses so many sessions that every request reads its row. `bun bench/sessions.ts [requests]`
 */
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import {
  createInstallation,
  median,
  percentile,
  startPortico,
  untilComplete,
} from './support/installation.ts'
import { row } from './support/row.ts'

const ENTITIES = 200
const SESSIONS = 4000
const GOAL = 1.3
const requests = Number(process.argv[2] ?? 4000)
const executable = process.env['PORTICO_EXECUTABLE']

if (postgresBinaries === undefined) throw new Error('PostgreSQL is not installed')
await using server = await startPostgres(postgresBinaries)
const DATABASE_URL = await server.createDatabase()
const installation = await createInstallation(ENTITIES)
const people = Array.from({ length: SESSIONS }, (_, index) => `person-${index}`)
const databases = [
  { cookies: await installation.signIn(people), port: 4190, env: {} },
  {
    cookies: await installation.signIn(people, DATABASE_URL),
    port: 4191,
    env: { DATABASE_URL, DATABASE_LISTEN_URL: DATABASE_URL },
  },
]
const subjects = await Promise.all(
  databases.map(async ({ cookies, port, env }) => {
    const portico = await startPortico(installation, port, { env, executable })
    const read = async (index: number): Promise<number> => {
      const startedAt = performance.now()
      const response = await portico.get('/api/v1/catalog/entities?limit=20', {
        cookie: cookies[index % cookies.length] ?? '',
      })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`answered ${response.status}`)
      return performance.now() - startedAt
    }
    const list = () => portico.get('/api/v1/catalog/entities', { cookie: cookies[0] ?? '' })
    await untilComplete(list, portico.startedAt)
    return { portico, read }
  }),
)

row('', 'SQLite', 'PostgreSQL', 'ratio')
for (const [label, sessionOf] of [
  ['one session', () => 0],
  ['each from the store', (request: number) => request],
] as const) {
  const took = subjects.map((): number[] => [])
  for (let request = 0; request < requests; request++) {
    for (const [index, { read }] of subjects.entries()) {
      const ms = await read(sessionOf(request))
      if (request >= requests / 10) took[index]?.push(ms)
    }
  }
  for (const [name, of] of [
    ['median', median],
    ['p99', (values: readonly number[]) => percentile(values, 0.99)],
  ] as const) {
    const [sqlite = Number.NaN, postgres = Number.NaN] = took.map(of)
    const ratio = postgres / sqlite
    const hasGoal = name === 'median' && label === 'one session'
    const verdict = hasGoal ? (ratio <= GOAL ? ' met' : ' MISSED') : ''
    row(
      `${label}, ${name}`,
      `${sqlite.toFixed(3)} ms`,
      `${postgres.toFixed(3)} ms`,
      `${ratio.toFixed(2)}${verdict}`,
    )
  }
}
await Promise.all(subjects.map(({ portico }) => portico.stop()))
await installation.remove()
