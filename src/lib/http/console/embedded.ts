import { resolve } from 'node:path'
import { buildConsole } from './build.ts'

/** Files that the bundler sees in place of those on disk, by their full paths. */
export interface EmbeddedConsole {
  readonly files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>
  /** Paths of the modules inside, from the working directory. */
  readonly modules: readonly string[]
}

const FOLDER = 'embedded'
const FORMS = ['raw', 'brotli', 'gzip'] as const

/** The built console for the executable: another `assets.ts`, which reads the files that it has inside. */
export async function embeddedConsole(): Promise<EmbeddedConsole> {
  const { document, assets, modules } = await buildConsole()
  const all = [document, ...assets]
  const embedded = all.flatMap((file) =>
    FORMS.map((form) => ({ path: `${FOLDER}/${file.name}.${form}`, bytes: file[form] })),
  )
  const imports = embedded.map(
    ({ path }, index) =>
      `import file${index} from ${JSON.stringify(`./${path}`)} with { type: 'file' }`,
  )
  const rows = all.map(({ name, type }, index) => {
    const paths = FORMS.map((form, at) => `${form}: file${index * FORMS.length + at}`)
    return `{ name: ${JSON.stringify(name)}, type: ${JSON.stringify(type)}, ${paths.join(', ')} }`
  })
  const module = [
    ...imports,
    'const bytes = (path) => Bun.file(path).bytes()',
    'const read = async ({ name, type, raw, brotli, gzip }) => ({',
    '  name, type, raw: await bytes(raw), brotli: await bytes(brotli), gzip: await bytes(gzip),',
    '})',
    'export async function readConsole() {',
    `  const [document, ...assets] = await Promise.all([${rows.join(', ')}].map(read))`,
    '  return { document, assets }',
    '}',
  ]
  const here = (path: string) => resolve(import.meta.dir, path)
  return {
    files: {
      [here('assets.ts')]: module.join('\n'),
      ...Object.fromEntries(embedded.map(({ path, bytes }) => [here(path), bytes])),
    },
    modules,
  }
}
