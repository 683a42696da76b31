import { afterAll, beforeAll, describe } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { untilReady } from '#tests/support/until-ready.ts'

const START_TIMEOUT_MS = 60_000
const RELEASES = '/usr/lib/postgresql'

/** Where Debian keeps the newest installed server, or undefined. */
function findBinaries(): string | undefined {
  try {
    const [newest] = readdirSync(RELEASES).toSorted((a, b) => Number(b) - Number(a))
    return newest === undefined ? undefined : join(RELEASES, newest, 'bin')
  } catch {
    return undefined
  }
}

export const postgresBinaries = findBinaries()

/** PostgreSQL refuses to run as root, so root hands the server to Debian's `postgres`. */
const asServerUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

function run(command: readonly string[]) {
  const done = Bun.spawnSync([...asServerUser, ...command], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
  })
  if (!done.success)
    throw new Error(`${command[0]}: ${done.stderr.toString()}${done.stdout.toString()}`)
}

export interface PostgresPeer extends AsyncDisposable {
  /** Of the database that every server has. */
  readonly url: string
  /** Folder of the socket. */
  readonly socketFolder: string
  /** A new, empty database. */
  createDatabase(): Promise<string>
  start(): Promise<void>
  /** Cuts every connection, as a crash does. */
  stop(): void
  /** SIGSTOP to every process: the sockets stay open, nothing answers. */
  freeze(): void
  thaw(): void
}

/** A real PostgreSQL with its own data directory, trusting the loopback. With a certificate it offers TLS. */
export async function startPostgres(
  binaries: string,
  tls?: { readonly cert: string; readonly key: string },
): Promise<PostgresPeer> {
  const home = mkdtempSync(join(tmpdir(), 'portico-postgres-'))
  if (asServerUser.length > 0) Bun.spawnSync(['chown', 'postgres', home])
  const data = join(home, 'data')
  const port = freePort()
  const tlsOptions =
    tls === undefined
      ? ''
      : ` -c ssl=on -c ssl_cert_file=${home}/server.pem -c ssl_key_file=${home}/server.key`
  const options = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=off${tlsOptions}`
  let databases = 0

  const initdb = `-D ${data} -U portico -A trust -E UTF8 --no-sync`.split(' ')
  run([join(binaries, 'initdb'), ...initdb])

  for (const [file, text] of tls === undefined
    ? []
    : ([
        ['server.pem', tls.cert],
        ['server.key', tls.key],
      ] as const)) {
    writeFileSync(join(home, file), text, { mode: 0o600 })
    if (asServerUser.length > 0) Bun.spawnSync(['chown', 'postgres', join(home, file)])
  }

  const control = (...words: readonly string[]) =>
    run([join(binaries, 'pg_ctl'), '-D', data, ...words])

  async function start() {
    control('-W', '-l', join(home, 'log'), '-o', options, 'start')
    const isReady = async () => {
      await using sql = new Bun.SQL(`postgres://portico@127.0.0.1:${port}/postgres`, {
        max: 1,
        connectionTimeout: 1,
      })
      await sql`SELECT 1`
      return true
    }
    await untilReady(isReady, {
      timeoutMs: START_TIMEOUT_MS,
      said: async () => `PostgreSQL did not start: ${await Bun.file(join(home, 'log')).text()}`,
    })
  }

  function processes(): readonly number[] {
    const [text] = Bun.spawnSync(['head', '-n', '1', join(data, 'postmaster.pid')])
      .stdout.toString()
      .split('\n')
    const children = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(text)]).stdout.toString()
    return [
      Number(text),
      ...children
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(Number),
    ]
  }

  /** A process of a connection that has just been closed may end in between. */
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of processes()) Bun.spawnSync(['kill', '-s', name.slice(3), String(pid)])
  }

  const stop = () => control('-m', 'immediate', 'stop')

  await start()
  return {
    url: `postgres://portico@127.0.0.1:${port}/postgres`,
    socketFolder: home,
    async createDatabase() {
      databases += 1
      const name = `portico_${databases}`
      await using sql = new Bun.SQL(`postgres://portico@127.0.0.1:${port}/postgres`, { max: 1 })
      await sql.unsafe(`CREATE DATABASE ${name}`)
      return `postgres://portico@127.0.0.1:${port}/${name}`
    },
    start,
    stop,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async [Symbol.asyncDispose]() {
      stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

type Start = (binaries: string) => Promise<PostgresPeer>

/**
 * A `describe` with a PostgreSQL of its own. Without an installed one it is skipped, and in CI it fails (Debian: `apt-get install
 * postgresql`).
 */
export function describePostgres(
  name: string,
  define: (peer: () => PostgresPeer) => void,
  start: Start = startPostgres,
): void {
  describe.skipIf(postgresBinaries === undefined && !mustHaveAll)(name, () => {
    let peer: PostgresPeer | undefined
    beforeAll(async () => {
      if (postgresBinaries === undefined) throw new Error('PostgreSQL is not installed')
      peer = await start(postgresBinaries)
    })
    afterAll(() => peer?.[Symbol.asyncDispose]())
    define(() => {
      if (peer === undefined) throw new Error('PostgreSQL has not started')
      return peer
    })
  })
}
