import { resolve } from 'node:path'

const executable = process.env['PORTICO_EXECUTABLE']
export const SOURCE = [process.execPath, resolve(import.meta.dir, '../../src/main.ts')]
/** The source, or the executable that `PORTICO_EXECUTABLE` names. */
export const PROGRAM = executable === undefined ? SOURCE : [resolve(executable)]
const READY = /ready on (http:\/\/\S+)\n/
const READY_DEADLINE_MS = 100_000

type Variables = Readonly<Record<string, string>>

export interface Finished {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface PorticoProcess extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  /** Output until it was ready. */
  readonly banner: string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Finished>
}

/** Starts the real program with the given environment only. */
export function spawnPortico(
  command: readonly string[],
  variables: Variables,
  cwd = process.cwd(),
  program: readonly string[] = PROGRAM,
) {
  const child = Bun.spawn([...program, ...command], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = { stdout: '', stderr: '' }
  let heard = () => {}
  const listen = async (name: keyof typeof printed) => {
    const decoder = new TextDecoder()
    try {
      for await (const part of child[name]) {
        printed[name] += decoder.decode(part, { stream: true })
        heard()
      }
    } catch (error) {
      // Bun's pipe to a killed child fails; no output is lost.
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error
    }
  }
  const drained = Promise.all([listen('stdout'), listen('stderr')])
  return {
    child,
    printed,
    drained,
    onPrint: (listener: () => void) => {
      heard = listener
      listener()
    },
    end: async (signal?: NodeJS.Signals): Promise<Finished> => {
      if (signal !== undefined) child.kill(signal)
      await child.exited
      await drained
      return { exitCode: child.exitCode, ...printed }
    },
  }
}

/** Runs a command to its end. */
export const runPortico = (command: readonly string[], variables: Variables): Promise<Finished> =>
  spawnPortico(command, variables).end()

/** Starts a command that serves, and waits until it says that it is ready. */
export async function startPortico(
  command: readonly string[],
  variables: Variables,
  cwd?: string,
  program?: readonly string[],
): Promise<PorticoProcess> {
  const { child, printed, drained, onPrint, end } = spawnPortico(command, variables, cwd, program)
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  const ready = Promise.withResolvers<string>()
  onPrint(() => {
    const [, url] = READY.exec(printed.stdout) ?? READY.exec(printed.stderr) ?? []
    if (url !== undefined) ready.resolve(url)
  })
  const fail = (why: string) =>
    ready.reject(new Error(`portico ${command.join(' ')} ${why}:\n${printed.stderr}`))
  const deadline = setTimeout(() => fail('was not ready in time'), READY_DEADLINE_MS)
  void drained.then(() => fail('ended before it was ready'))
  try {
    const url = await ready.promise
    return { pid: child.pid, url, banner: printed.stdout, end, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(deadline)
  }
}
