import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilReady } from '#tests/support/until-ready.ts'

const START_TIMEOUT_MS = 60_000
const LOG_CHARS = 2_000

/** The program `bao`, when the environment names it or the machine has it. */
export const openbaoProgram: string | null =
  process.env['PORTICO_OPENBAO'] ?? Bun.which('bao') ?? null

/** One process at a time, in a folder of its own. */
export interface OpenBaoProcess extends AsyncDisposable {
  /** Writes a file into the folder. */
  file(name: string, content: string): Promise<void>
  readonly start: () => void
  /** SIGKILL. */
  readonly stop: () => Promise<void>
  /** SIGSTOP: the sockets stay open, nothing answers. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Asks again and again, and throws with the end of the log when the process ends or takes too long. */
  until(isReady: () => Promise<boolean>): Promise<void>
  /** All that it has logged. */
  readonly log: () => Promise<string>
}

/** It is not started yet. */
export async function createOpenBaoProcess(options: readonly string[]): Promise<OpenBaoProcess> {
  if (openbaoProgram === null) throw new Error('there is no OpenBao')
  const program = openbaoProgram
  const home = await mkdtemp(join(tmpdir(), 'portico-openbao-'))
  const logFile = join(home, 'server.log')
  let child: Bun.Subprocess | undefined
  // The kernel ends it together with the process of the test, however that one ends.
  const withParent = Bun.which('setpriv') === null ? [] : ['setpriv', '--pdeathsig', 'KILL']

  const stop = async () => {
    child?.kill('SIGKILL')
    await child?.exited
  }
  const log = async () => ((await Bun.file(logFile).exists()) ? await Bun.file(logFile).text() : '')

  return {
    file: (name, content) => writeFile(join(home, name), content, { mode: 0o600 }),
    start() {
      child = Bun.spawn(
        ['sh', '-c', 'exec "$@" >>server.log 2>&1', 'sh', ...withParent, program, ...options],
        { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home }, stdio: ['ignore', null, null] },
      )
    },
    stop,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    until: (isReady) =>
      untilReady(isReady, {
        timeoutMs: START_TIMEOUT_MS,
        hasEnded: () => child === undefined || child.exitCode !== null || child.signalCode !== null,
        said: async () => `OpenBao did not get ready: ${(await log()).slice(-LOG_CHARS)}`,
      }),
    log,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
