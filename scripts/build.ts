/**
 * `bun run build [--target linux-arm64] [--outfile dist/portico]`: Portico as one executable. A target other than this machine's
 * needs Bun for that target, which is downloaded once.
 */
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { embeddedConsole } from '#src/lib/http/console/embedded.ts'

/** Bun's names of our target platforms. */
export const TARGETS = {
  'linux-amd64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-arm64',
  'darwin-amd64': 'bun-darwin-x64',
  'darwin-arm64': 'bun-darwin-arm64',
  'windows-amd64': 'bun-windows-x64',
} as const

export type Target = keyof typeof TARGETS

export const isTarget = (text: string): text is Target => Object.hasOwn(TARGETS, text)

export interface BuildRequest {
  /** By default this machine. */
  readonly target?: Target | undefined
  /** Executables for Windows get the suffix `.exe`. */
  readonly outfile: string
  readonly commit: string
  /** Path of Bun for the target. By default the running Bun, or a download. */
  readonly bun?: string
}

export interface Executable {
  readonly path: string
  /** Paths of the bundled files, from the working directory. */
  readonly modules: readonly string[]
}

/** `PORTICO_COMMIT` where there is no repository, as in the build of a container. */
async function commitOf(): Promise<string> {
  const given = process.env['PORTICO_COMMIT']
  if (given !== undefined) return given
  const git = Bun.spawn(['git', 'rev-parse', '--short=12', 'HEAD'], { stderr: 'ignore' })
  return (await new Response(git.stdout).text()).trim() || 'unknown'
}

const CATALOG_PARSER = 'src/lib/domain/catalog/parser-worker.ts'
const KEEPERS = ['src/lib/domain/catalog/kept-files.ts', 'src/lib/adapters/kept-bytes/file.ts']

/**
 * Digest of the code that parses and keeps catalog files, packages included: executables with the same digest share kept
 * files. `changed` replaces the contents of files, by their full paths.
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

/** The same for every target. */
const bundledConsole = lazily(embeddedConsole)

async function compile({ target, outfile, commit, bun }: BuildRequest) {
  const webConsole = await bundledConsole()
  const built = await Bun.build({
    // The worker is a program of its own: `parser.ts` finds it by its path below `src/`.
    entrypoints: ['src/main.ts', CATALOG_PARSER],
    root: 'src',
    compile: {
      outfile,
      ...(target !== undefined && { target: TARGETS[target] }),
      ...(bun !== undefined && { executablePath: bun }),
      // Files in the working directory are not configuration of the executable.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    bytecode: true,
    format: 'esm',
    minify: true,
    sourcemap: 'inline',
    metafile: true,
    files: webConsole.files,
    define: {
      // Fixed, because packages bundle other files for other values.
      'process.env.NODE_ENV': JSON.stringify('production'),
      'process.env.PORTICO_COMMIT': JSON.stringify(commit),
      'process.env.PORTICO_CATALOG_READER': JSON.stringify(await catalogReader()),
      // Packages that look for files beside them must not contain their path on the build machine.
      __dirname: JSON.stringify('/$bunfs/root'),
    },
  })
  const [executable] = built.outputs
  if (!built.success || executable === undefined || built.metafile === undefined) {
    throw new AggregateError(built.logs, 'the build failed')
  }
  const isOnDisk = (path: string) => !(resolve(path) in webConsole.files)
  const modules = Object.keys(built.metafile.inputs).filter(isOnDisk)
  return { path: executable.path, modules: [...new Set([...modules, ...webConsole.modules])] }
}

/** Writes the executable by one rename. */
export async function build(request: BuildRequest): Promise<Executable> {
  await mkdir(dirname(request.outfile), { recursive: true })
  // A temporary folder with a fixed file name: source maps are written beside the executable, and its name is part of its bytes.
  const folder = await mkdtemp(join(dirname(request.outfile), '.build-'))
  try {
    const { path, modules } = await compile({ ...request, outfile: join(folder, 'portico') })
    const place = request.outfile.replace(/\.exe$/, '') + extname(path)
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
