/**
 * `bun run build [--target linux-arm64] [--outfile dist/portico]`: Portico as one executable with everything in it. Another target
 * than this machine's needs Bun for that target, which is downloaded once.
 */
import { parseArgs } from 'node:util'

/** Bun's name of each platform that there is an executable for. */
export const TARGETS = {
  'linux-amd64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'darwin-amd64': 'bun-darwin-x64',
  'darwin-arm64': 'bun-darwin-arm64',
  'windows-amd64': 'bun-windows-x64',
} as const

export type Target = keyof typeof TARGETS

const isTarget = (text: string): text is Target => Object.hasOwn(TARGETS, text)

/** Where there is no repository, as in the build of a container, it is given. */
async function commitOf(): Promise<string> {
  const given = process.env['PORTICO_COMMIT']
  if (given !== undefined) return given
  const git = Bun.spawn(['git', 'rev-parse', '--short=12', 'HEAD'], { stderr: 'ignore' })
  return (await new Response(git.stdout).text()).trim() || 'unknown'
}

/** Writes the executable and answers with its path. */
export async function build(
  target: Target | undefined,
  outfile = target === undefined ? 'dist/portico' : `dist/portico-${target}`,
): Promise<string> {
  const built = await Bun.build({
    // The worker is a program of its own: `parser.ts` finds it by its path below `src/`.
    entrypoints: ['src/main.ts', 'src/lib/domain/catalog/parser-worker.ts'],
    root: 'src',
    compile: {
      outfile,
      ...(target !== undefined && { target: TARGETS[target] }),
      // What lies in the folder where somebody starts it is none of its business.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    bytecode: true,
    format: 'esm',
    minify: true,
    sourcemap: 'inline',
    define: { 'process.env.PORTICO_COMMIT': JSON.stringify(await commitOf()) },
  })
  if (!built.success) throw new AggregateError(built.logs, 'the build failed')
  return built.outputs[0]?.path ?? outfile
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: 'string' }, outfile: { type: 'string' } },
  })
  const { target, outfile } = values
  if (target !== undefined && !isTarget(target)) {
    console.error(`--target must be one of ${Object.keys(TARGETS).join(', ')}`)
    process.exit(1)
  }
  console.log(await build(target, outfile))
}
