import { untilReady } from '#tests/support/until-ready.ts'

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 60_000

type Variables = Readonly<Record<string, string>>

interface ProcessOptions {
  readonly cwd: string
  /** Added to PATH and HOME. The program sees no other variable of this process. */
  readonly variables?: Variables
}

export interface Finished {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null
  readonly output: string
}

export interface Server extends AsyncDisposable {
  readonly url: string
  end(signal: NodeJS.Signals): Promise<Finished>
}

function spawn(command: readonly string[], { cwd, variables = {} }: ProcessOptions) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? cwd, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = Promise.all([child.stdout.text(), child.stderr.text()])
  const finished = async (): Promise<Finished> => {
    await child.exited
    return { exitCode: child.exitCode, output: (await printed).join('') }
  }
  return { child, finished }
}

/** Runs a program to its end. */
export const run = (command: readonly string[], options: ProcessOptions): Promise<Finished> =>
  spawn(command, options).finished()

/** The output of a program that must not fail. */
export async function succeed(
  command: readonly string[],
  options: ProcessOptions,
): Promise<string> {
  const { exitCode, output } = await run(command, options)
  if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}:\n${output}`)
  return output
}

/** Starts a server and waits until it says that it is healthy. */
export async function startServer(
  command: readonly string[],
  { port, ...options }: ProcessOptions & { readonly port: number },
): Promise<Server> {
  const { child, finished } = spawn(command, options)
  const stop = async () => {
    // Not SIGKILL at once: the workers of nginx would outlive it.
    child.kill('SIGTERM')
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await child.exited
    clearTimeout(deadline)
  }
  const url = `http://127.0.0.1:${port}`
  await untilReady(async () => (await fetch(`${url}/healthz`)).ok, {
    timeoutMs: START_TIMEOUT_MS,
    hasEnded: () => child.exitCode !== null,
    said: async () => {
      await stop()
      return `${command.join(' ')} is not healthy:\n${(await finished()).output}`
    },
  })
  return {
    url,
    end(signal) {
      child.kill(signal)
      return finished()
    },
    [Symbol.asyncDispose]: stop,
  }
}
