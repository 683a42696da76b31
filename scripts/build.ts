/**
 * `bun run build [--target linux-arm64] [--outfile dist/portico]`: Portico as one executable with everything in it. Another target
 * than this machine's needs Bun for that target, which is downloaded once.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
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

export const isTarget = (text: string): text is Target => Object.hasOwn(TARGETS, text)

export interface Building {
  /** Without one, this machine's. */
  readonly target?: Target | undefined
  /** An executable for Windows has `.exe` behind it. */
  readonly outfile: string
  readonly commit: string
  /** The program of Bun for that target. Without it Bun takes itself, or downloads the other one. */
  readonly bun?: string
}

export interface Executable {
  readonly path: string
  /** The files that were made into it, by their paths from here. */
  readonly modules: readonly string[]
}

/** Where there is no repository, as in the build of a container, it is given. */
async function commitOf(): Promise<string> {
  const given = process.env['PORTICO_COMMIT']
  if (given !== undefined) return given
  const git = Bun.spawn(['git', 'rev-parse', '--short=12', 'HEAD'], { stderr: 'ignore' })
  return (await new Response(git.stdout).text()).trim() || 'unknown'
}

const CATALOG_PARSER = 'src/lib/domain/catalog/parser-worker.ts'
const KEEPERS = ['src/lib/domain/catalog/kept-files.ts', 'src/lib/adapters/kept-bytes/file.ts']

/**
 * Names what is made of a catalog file and how that is kept, by the code that does it, packages included: executables in which
 * it is the same take over from each other what they have parsed. `changed` are contents in place of files', by their full paths.
 */
export async function catalogReader(
  changed: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [CATALOG_PARSER, ...KEEPERS],
    root: 'src',
    target: 'bun',
    minify: true,
    files: changed,
  })
  const hash = new Bun.CryptoHasher('sha256').update(Bun.revision)
  for (const output of outputs) hash.update(await output.arrayBuffer())
  return hash.digest('hex')
}

async function compile({ target, outfile, commit, bun }: Building) {
  const built = await Bun.build({
    // The worker is a program of its own: `parser.ts` finds it by its path below `src/`.
    entrypoints: ['src/main.ts', CATALOG_PARSER],
    root: 'src',
    compile: {
      outfile,
      ...(target !== undefined && { target: TARGETS[target] }),
      ...(bun !== undefined && { executablePath: bun }),
      // What lies in the folder where somebody starts it is none of its business.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    bytecode: true,
    format: 'esm',
    minify: true,
    sourcemap: 'inline',
    metafile: true,
    define: {
      // Whatever it is where this is built: packages look at it, and take other files.
      'process.env.NODE_ENV': JSON.stringify('production'),
      'process.env.PORTICO_COMMIT': JSON.stringify(commit),
      'process.env.PORTICO_CATALOG_READER': JSON.stringify(await catalogReader()),
      // Of packages that look for files beside them: not where they lay on the machine that built it.
      __dirname: JSON.stringify('/$bunfs/root'),
    },
  })
  const [executable] = built.outputs
  if (!built.success || executable === undefined || built.metafile === undefined) {
    throw new AggregateError(built.logs, 'the build failed')
  }
  return { path: executable.path, modules: Object.keys(built.metafile.inputs) }
}

/** Writes the executable, in one step. */
export async function build(building: Building): Promise<Executable> {
  await mkdir(dirname(building.outfile), { recursive: true })
  // Source maps, which are in the executable, are written beside it too. Its name is in it: the same one for the same bytes.
  const folder = await mkdtemp(join(dirname(building.outfile), '.build-'))
  try {
    const { path, modules } = await compile({ ...building, outfile: join(folder, 'portico') })
    const place = building.outfile.replace(/\.exe$/, '') + extname(path)
    await rename(path, place)
    return { path: place, modules }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: 'string' }, outfile: { type: 'string' } },
  })
  const { target, outfile = target === undefined ? 'dist/portico' : `dist/portico-${target}` } =
    values
  if (target !== undefined && !isTarget(target)) {
    console.error(`--target must be one of ${Object.keys(TARGETS).join(', ')}`)
    process.exit(1)
  }
  console.log((await build({ target, outfile, commit: await commitOf() })).path)
}
