import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { untilReady } from '#tests/support/until-ready.ts'

const START_TIMEOUT_MS = 60_000

export const pgbouncerBinary = Bun.which('pgbouncer', { PATH: '/usr/sbin:/usr/bin' })

export interface PgbouncerPeer extends AsyncDisposable {
  /** The URL of a server's database, through the pooler. */
  through(url: string): string
}

/** A real pgbouncer in transaction mode in front of a PostgreSQL at the loopback. Connections to a restarted server
 * are tried again after a second instead of fifteen. */
export async function startPgbouncer(
  binary: string,
  serverUrl: string,
  login: 'trust' | 'scram-sha-256' = 'trust',
): Promise<PgbouncerPeer> {
  const home = mkdtempSync(join(tmpdir(), 'portico-pgbouncer-'))
  const port = freePort()
  const { port: serverPort } = new URL(serverUrl)
  const settings = join(home, 'pgbouncer.ini')
  writeFileSync(join(home, 'users.txt'), '"portico" "the right one"\n')
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = ${login}
auth_file = ${join(home, 'users.txt')}
pool_mode = transaction
default_pool_size = 4
server_idle_timeout = 1
server_login_retry = 1
`,
  )
  // pgbouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) Bun.spawnSync(['chown', '-R', 'postgres', home])
  const child = Bun.spawn([binary, ...(isRoot ? ['-u', 'postgres'] : []), settings], {
    stdout: 'ignore',
    stderr: 'ignore',
  })

  const through = (url: string): string => {
    const pooled = new URL(url)
    pooled.port = String(port)
    return pooled.href
  }
  const known = new URL(through(serverUrl))
  known.password = 'the right one'
  const isReady = async () => {
    await using sql = new Bun.SQL(known.href, { max: 1, prepare: false })
    await sql`SELECT 1`
    return true
  }
  await untilReady(isReady, {
    timeoutMs: START_TIMEOUT_MS,
    said: () => 'pgbouncer did not start',
  })

  return {
    through,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}
