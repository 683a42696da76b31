import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'
import type { ConsoleFile, ConsoleFiles } from './files.ts'

/** The console, bundled: the same sources make the same names and bytes, wherever they are. */
export interface ConsoleBuild extends ConsoleFiles {
  /** Paths of the bundled files, from the working directory. */
  readonly modules: readonly string[]
}

const FOLDER = fileURLToPath(new URL('../../../console/', import.meta.url))
const MOUNTED_AT = '/console/'
const HASHED = '[name]-[hash].[ext]'
const ICON = 'icon.svg'
const FONT = 'fonts/inter.woff2'

type Bundle = Awaited<ReturnType<typeof bundle>>

const bundle = async (entry: string, target: 'browser' | 'bun', plugins: BunPlugin[] = []) => {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [FOLDER + entry],
    root: FOLDER,
    target,
    format: 'esm',
    minify: true,
    splitting: true,
    publicPath: MOUNTED_AT,
    naming: { entry: HASHED, chunk: HASHED, asset: HASHED },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    metafile: true,
    plugins,
  })
  const [written] =
    Object.entries(metafile?.outputs ?? {}).find(
      ([, { entryPoint }]) => entryPoint?.endsWith(`/console/${entry}`) === true,
    ) ?? []
  if (metafile === undefined || written === undefined) {
    throw new Error(`the bundler wrote nothing for ${entry}`)
  }
  return { outputs, metafile, entry: written }
}

/** The bundler would write the font into the style sheet, which every page waits for. */
const fontAt = (path: string): BunPlugin => ({
  name: 'font',
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, () => ({ path, external: true }))
  },
})

/** A style sheet as the text of the script that imports it: a file less to wait for. */
const styleAs = async (name: string, { outputs: [style] }: Bundle): Promise<BunPlugin> => {
  const text = (await style?.text()) ?? ''
  return {
    name,
    setup(build) {
      build.onLoad({ filter: new RegExp(`/console/${name}$`) }, () => ({
        contents: `export default ${JSON.stringify(text)}`,
        loader: 'js',
      }))
    },
  }
}

export async function buildConsole(): Promise<ConsoleBuild> {
  const [icon, font] = await Promise.all([
    hashed(ICON, await Bun.file(FOLDER + ICON).bytes()),
    hashed(FONT, await Bun.file(FOLDER + FONT).bytes()),
  ])
  const [style, laterStyle, template] = await Promise.all([
    // For `browser` Bun rewrites `light-dark()` and `inset-inline` for browsers that lack them, into twice as much.
    bundle('app.css', 'bun', [fontAt(addressOf(font.name))]),
    bundle('later.css', 'bun'),
    Bun.file(`${FOLDER}index.html`).text(),
  ])
  const script = await bundle('main.tsx', 'browser', [
    await styleAs('app.css', style),
    await styleAs('later.css', laterStyle),
  ])
  const built = await Promise.all(
    script.outputs.map(async (output) =>
      compressed(baseName(output.path), new Uint8Array(await output.arrayBuffer())),
    ),
  )
  const document = documentOf(template, {
    icon: addressOf(icon.name),
    font: addressOf(font.name),
    script: addressOf(script.entry),
    preloads: importsOf(script).map(addressOf).toSorted(),
  })
  return {
    document: await compressed('index.html', new TextEncoder().encode(document)),
    assets: [...built, icon, font].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    modules: [script, style, laterStyle].flatMap(({ metafile }) => Object.keys(metafile.inputs)),
  }
}

/** Files that the entry imports, and has to wait for. */
function importsOf({ entry, metafile: { outputs } }: Bundle): readonly string[] {
  const needed = new Set<string>()
  const follow = (path: string): void => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || needed.has(imported)) continue
      needed.add(imported)
      follow(imported)
    }
  }
  follow(entry)
  return [...needed]
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const addressOf = (path: string): string => MOUNTED_AT + baseName(path)

const digestOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, DIGEST_DIGITS)

const DIGEST_DIGITS = 8

/** A file of ours as an asset: `icon.svg` becomes `icon-2f20681b.svg`. */
const hashed = (path: string, bytes: Uint8Array<ArrayBuffer>): Promise<ConsoleFile> =>
  compressed(baseName(path).replace('.', `-${digestOf(bytes)}.`), bytes)

const GZIP_LEVEL = 9

/** Threads of the runtime compress, so that a server that builds at its first request goes on answering. */
async function compressed(name: string, raw: Uint8Array<ArrayBuffer>): Promise<ConsoleFile> {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) throw new Error(`the console has no content type for ${name}`)
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(raw, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: raw.byteLength,
      },
    }),
    promisify(gzip)(raw, { level: GZIP_LEVEL }),
  ])
  return { name, type, raw, brotli: new Uint8Array(brotli), gzip: new Uint8Array(gzipped) }
}

/** Addresses of the files that the document loads. */
interface DocumentParts {
  readonly icon: string
  readonly font: string
  readonly script: string
  /** Scripts that the script imports at once. */
  readonly preloads: readonly string[]
}

const SCRIPT = /[ \t]*<script type="module" src="main.tsx"><\/script>/

/** The document of all pages: `src/console/index.html` with the addresses of the built files. */
export function documentOf(template: string, { icon, font, script, preloads }: DocumentParts) {
  const tags = [
    ...preloads.map((preload) => `<link rel="modulepreload" href="${preload}" />`),
    `<script type="module" src="${script}"></script>`,
  ]
  const replacements = [
    ['href="icon.svg"', `href="${icon}"`],
    ['href="inter.woff2"', `href="${font}"`],
    [SCRIPT, tags.map((tag) => `    ${tag}`).join('\n')],
  ] as const
  return replacements.reduce((document, [place, text]) => {
    if (document.search(place) < 0) throw new Error(`src/console/index.html has no ${place}`)
    return document.replace(place, () => text)
  }, template)
}
