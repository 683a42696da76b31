import { join } from 'node:path'

/** Bundles a program of `tests/peers` to bytecode: a hundred starts take a quarter of the time of as many from source. */
export async function bundle(program: string, outdir: string): Promise<string> {
  const build = async (entrypoint: string, outdir: string) => {
    const path = join(import.meta.dir, '../..', entrypoint)
    const { outputs } = await Bun.build({
      entrypoints: [path],
      outdir,
      target: 'bun',
      format: 'cjs',
      bytecode: true,
    })
    return outputs[0]?.path ?? ''
  }
  // A bundled parser of the catalog looks for its worker here.
  await build('src/lib/domain/catalog/parser-worker.ts', join(outdir, 'lib/domain/catalog'))
  return build(join('tests/peers', program), outdir)
}

export interface MortalRun {
  readonly program: string
  /** Data directory. */
  readonly directory: string
  /** Number of the point to die at, see `mortal.ts`; 0: none. */
  readonly dieAt?: number
  readonly variables?: Readonly<Record<string, string>>
}

/** Starts a bundled program. */
export function startMortal({ program, directory, dieAt = 0, variables }: MortalRun) {
  const child = Bun.spawn([process.execPath, program, directory, String(dieAt)], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const ended = async () => {
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    await child.exited
    return { stdout: stdout.trim(), stderr, signal: child.signalCode }
  }
  return {
    ended: ended(),
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
