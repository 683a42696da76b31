import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { PorticoProcess } from '#tests/support/portico-process.ts'
import { PORTAL_HOST } from '#tests/support/installation.ts'
import { openReplicas, type Replicas } from '#tests/support/replicas.ts'
import { signedIn } from '#tests/support/signed-in.ts'

const READS = 20
const STREAMS_PER_PERSON = 100

let installation: Replicas
let portico: PorticoProcess
let ann = ''
let hog = ''

beforeAll(async () => {
  installation = await openReplicas({
    REQUESTS_IN_FLIGHT_MAX: '8',
    STREAMS_PER_MINUTE: '10000',
    VALIDATIONS_PER_MINUTE: '10000',
  })
  portico = await installation.start()
  const database = join(installation.directory, 'replica-1', 'portico.sqlite')
  const cookies = await signedIn(`sqlite:${database}`, 2)
  ann = cookies[0] ?? ''
  hog = cookies[1] ?? ''
})
afterAll(() => installation[Symbol.asyncDispose]())

const head = (target: string, cookie: string, more: readonly string[] = [], method = 'GET') =>
  [`${method} ${target} HTTP/1.1`, `Host: ${PORTAL_HOST}`, `Cookie: ${cookie}`, ...more].join(
    '\r\n',
  )

/** Connections that have sent a text and stay. Resolves when all have. */
async function connections(count: number, text: string): Promise<readonly Socket[]> {
  const port = Number(new URL(portico.url).port)
  return Promise.all(
    Array.from({ length: count }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>()
      const socket = connect(port, '127.0.0.1', () => socket.write(text, () => resolve(socket)))
      socket.once('error', reject)
      socket.on('error', () => {})
      return promise
    }),
  )
}

/** The statuses of reads of another person, and of a probe. */
async function othersGet(): Promise<readonly number[]> {
  const headers = { host: PORTAL_HOST, cookie: ann }
  const statuses = new Set<number>()
  for (let read = 0; read < READS; read += 1) {
    const response = await fetch(`${portico.url}/api/v1/catalog/entities`, { headers })
    await response.arrayBuffer()
    statuses.add(response.status)
  }
  statuses.add((await fetch(`${portico.url}/healthz`)).status)
  return [...statuses]
}

const openFiles = () => readdirSync(`/proc/${portico.pid}/fd`).length
const TYPES = ['Content-Type: application/json', 'Content-Length: 1000']

describe.each([
  ['a thousand connections that say nothing', 1_000, () => ''],
  ['headers that do not end', 300, () => head('/api/v1/catalog/entities', hog, ['X-Long: '])],
  [
    'bodies that stop',
    100,
    () => `${head('/api/v1/catalog/validate', hog, TYPES, 'POST')}\r\n\r\n{"a":`,
  ],
  [
    'bodies that stop, without a session',
    100,
    () =>
      `${head('/api/v1/webhooks/catalog/refresh', '', [...TYPES, 'X-Hub-Signature-256: sha256=00'], 'POST')}\r\n\r\n{"a":`,
  ],
  ['streams that nobody reads', 300, () => `${head('/api/v1/events?topics=catalog', hog)}\r\n\r\n`],
  ['answers that nobody reads', 300, () => `${head('/docs', hog)}\r\n\r\n`.repeat(20)],
])('%s', (_, count, text) => {
  test('keep nobody else waiting, and leave nothing behind', async () => {
    const before = openFiles()
    const sockets = await connections(count, text())
    expect(await othersGet()).toStrictEqual([200])
    for (const socket of sockets) socket.destroy()
    while (openFiles() > before + 10) await Bun.sleep(10)
    expect(await othersGet()).toStrictEqual([200])
  })
})

test('a person has a bounded number of streams, whether or not they read', async () => {
  const text = `${head('/api/v1/events?topics=catalog', hog)}\r\n\r\n`
  const sockets = await connections(STREAMS_PER_PERSON + 50, text)
  const answers = sockets.map(async (socket) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').slice(9, 12)))
    return promise
  })
  const statuses = await Promise.all(answers)
  expect(statuses.filter((status) => status === '200')).toHaveLength(STREAMS_PER_PERSON)
  expect(statuses.filter((status) => status === '429')).toHaveLength(50)
  for (const socket of sockets) socket.destroy()
})

test('clients that ask and leave at once cost one request of others no answer', async () => {
  const before = openFiles()
  const text = `${head('/api/v1/environments', hog)}\r\n\r\n`
  for (let round = 0; round < 10; round += 1) {
    const sockets = await connections(50, text)
    for (const socket of sockets) socket.destroy()
    expect(await othersGet()).toStrictEqual([200])
  }
  while (openFiles() > before + 10) await Bun.sleep(10)
})

test('reads go on while nothing can be written to the database', async () => {
  using database = new Database(join(installation.directory, 'replica-1', 'portico.sqlite'))
  database.run('BEGIN EXCLUSIVE')
  const headers = { host: PORTAL_HOST, cookie: ann }
  const statuses: number[] = []
  for (const path of ['catalog/entities', 'catalog/facets', 'environments', 'clusters']) {
    const response = await fetch(`${portico.url}/api/v1/${path}`, { headers })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  expect(statuses).toStrictEqual([200, 200, 200, 200])
  database.run('ROLLBACK')
})
