import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { parseKeys } from '#src/lib/crypto/keyring.ts'
import { createSessions } from '#src/lib/domain/access/sessions/sessions.ts'
import { parseRepositoryId, RepositoryPath, TeamName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { generateOrganisation } from './organisation.ts'

const SESSION_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const WEBHOOK_TOKEN = 'benchmark-webhook-token'
const SESSION_SECONDS = 36_000
/** Size of an ID token with groups and a signature. */
const ID_TOKEN_LENGTH = 900
const AUTHOR = { name: 'Ann', email: 'ann@acme.example' }

/** Real installation data on disk: an embedded git host with a catalog, and a database with one session in it. */
export async function createInstallation(
  entities: number,
  more: readonly { readonly path: string; readonly text: string }[] = [],
) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  const repository = required(parseRepositoryId('acme/gitops'))
  const git = createLocalGitHost({
    directory: join(directory, 'git'),
    publicUrl: 'http://127.0.0.1',
  })
  const encoder = new TextEncoder()
  const files = [...generateOrganisation(entities), ...more]
  const change = (path: string, text: string) => ({
    kind: 'write' as const,
    path: required(RepositoryPath.parse(path)),
    bytes: encoder.encode(text),
  })
  unwrap(
    await git.createRepository(repository, {
      description: 'gitops',
      team: TeamName.of('platform'),
      marker: 'benchmark',
      message: 'First commit',
      author: AUTHOR,
      files: files.map(({ path, text }) => change(path, text)),
    }),
  )
  const ownDatabase = `sqlite:${join(directory, 'portico.sqlite')}`
  const [cookie = ''] = await signIn(ownDatabase, ['ann'])

  return {
    directory,
    cookie,
    signIn: (subjects: readonly string[], databaseUrl = ownDatabase) =>
      signIn(databaseUrl, subjects),
    files,
    git,
    repository,
    /** Replaces files in one commit. */
    async commit(changed: readonly { readonly path: string; readonly text: string }[]) {
      const head = unwrap(await git.head(repository))
      unwrap(
        await git.commit(repository, {
          branch: head.branch,
          from: { kind: 'advance', expected: head.commit },
          changes: changed.map(({ path, text }) => change(path, text)),
          message: 'Change',
          author: AUTHOR,
        }),
      )
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Opens sessions with tokens for clusters in a database. Returns a cookie for each. */
async function signIn(
  databaseUrl: string,
  subjects: readonly string[],
): Promise<readonly string[]> {
  const database = unwrap(await openDatabase(databaseUrl))
  const sessions = createSessions({
    store: database.sessions,
    keyring: unwrap(parseKeys(SESSION_KEYS)),
    clock: systemClock,
    log: () => {},
    idleSeconds: SESSION_SECONDS,
    absoluteSeconds: SESSION_SECONDS,
  })
  const expiresAt = Date.now() + SESSION_SECONDS * 1_000
  const cookies: string[] = []
  for (const subject of subjects) {
    const { token } = unwrap(
      await sessions.open({
        principal: {
          issuer: 'https://id.acme.example',
          subject,
          name: subject,
          email: null,
          groups: { kind: 'known', names: ['payments', 'platform-team'] },
        },
        sid: null,
        address: null,
        userAgent: null,
        tokens: {
          idToken: `id.${'x'.repeat(ID_TOKEN_LENGTH)}.${subject}`,
          idTokenExpiresAt: expiresAt,
          accessToken: `access.${subject}`,
          refreshToken: null,
          expiresAt,
        },
      }),
    )
    cookies.push(`portal_session=${token}`)
  }
  await database.close()
  return cookies
}

export type Installation = Awaited<ReturnType<typeof createInstallation>>

interface Starting {
  /** Samples the event loop of the process from inside, at a small cost. */
  readonly sampled?: boolean
  /** By default the source. */
  readonly executable?: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

/** Starts `portico serve` on an installation, as an operator would: its own process, its log going to a file. */
export async function startPortico(
  { directory, cookie }: Installation,
  port: number,
  { sampled = false, executable, env = {} }: Starting = {},
) {
  const url = `http://127.0.0.1:${port}`
  const stallFile = join(directory, 'longest-stall')
  const program = executable === undefined ? ['bun', 'src/main.ts'] : [executable]
  const accessLog = join(directory, 'access.log')
  const startedAt = performance.now()
  const run = Bun.spawn([...program, 'serve'], {
    env: {
      ...(sampled && {
        LOOP_LAG_FILE: stallFile,
        BUN_OPTIONS: `--preload ${join(import.meta.dir, 'loop-lag.ts')}`,
      }),
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: url,
      DATA_DIR: directory,
      SESSION_KEYS,
      SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 4).toString('base64')}`,
      GITOPS_REPOSITORY: 'acme/gitops',
      WEBHOOK_TOKEN,
      ...env,
    },
    stdout: Bun.file(accessLog),
    stderr: 'pipe',
  })
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { headers: { cookie, 'accept-encoding': 'identity', ...headers } })
  return {
    pid: run.pid,
    url,
    accessLog,
    startedAt,
    get,
    residentMegabytes: () => residentMegabytes(run.pid),
    /** The longest stall of the event loop since the last call, in milliseconds. */
    async longestStallMs(): Promise<number> {
      await rm(stallFile, { force: true })
      run.kill('SIGUSR2')
      for (;;) {
        await Bun.sleep(5)
        const text = await Bun.file(stallFile)
          .text()
          .catch(() => '')
        if (text !== '') return Number(text)
      }
    },
    refresh: () =>
      fetch(`${url}/api/v1/webhooks/catalog/refresh`, {
        method: 'POST',
        headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
      }),
    async stop() {
      run.kill()
      await run.exited
    },
  }
}

/** Repeats the request until it is answered with 200. Returns the time from `startedAt` until that answer was complete. */
export async function untilComplete(
  ask: () => Promise<Response>,
  startedAt: number,
  pauseMs = 5,
): Promise<{ readonly ms: number; readonly bytes: number }> {
  for (;;) {
    const response = await ask().catch(() => undefined)
    const body = await response?.arrayBuffer()
    if (response?.status === 200) {
      return { ms: performance.now() - startedAt, bytes: body?.byteLength ?? 0 }
    }
    if (performance.now() - startedAt > 60_000) throw new Error('not complete within a minute')
    await Bun.sleep(pauseMs)
  }
}

interface Load {
  readonly cookie: string
  readonly connections: number
  readonly seconds: number
}

/** Load from wrk: requests per second, and the 99th percentile of the latency in milliseconds. */
export async function wrk(
  url: string,
  { cookie, connections, seconds }: Load,
): Promise<{ readonly perSecond: number; readonly p99Ms: number }> {
  const options = ['-t1', `-c${connections}`, `-d${seconds}`, '--latency']
  const run = Bun.spawn(['wrk', ...options, '-H', `Cookie: ${cookie}`, url], { stdout: 'pipe' })
  const report = await new Response(run.stdout).text()
  if (report.includes('Non-2xx')) throw new Error(`refused: ${url}\n${report}`)
  const [, p99, unit = ''] = /99%\s+([\d.]+)(us|ms|s)/.exec(report) ?? []
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(report)?.[1]),
    p99Ms: Number(p99) * ({ us: 0.001, ms: 1, s: 1_000 }[unit] ?? Number.NaN),
  }
}

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('nothing there')
  return value
}

function unwrap<Value>(
  result:
    { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown },
): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}
