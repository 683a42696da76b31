import type { ConsoleFiles } from './files.ts'

/**
 * The files of the console, built from source in this process. `scripts/build.ts` replaces this module in the executable, which
 * has the built files inside and no bundler to run.
 */
export async function readConsole(): Promise<ConsoleFiles> {
  const { buildConsole } = await import('./build.ts')
  return buildConsole()
}
