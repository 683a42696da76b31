/** Bytes of the console, file by file. `bun bench/console-sizes.ts` */
import { buildConsole } from '#src/lib/http/console/build.ts'
import type { ConsoleFile } from '#src/lib/http/console/files.ts'
import { row } from './support/row.ts'

const GOALS = { firstBytes: 28_000, allBytes: 95_000 }

const show = (label: string, files: readonly ConsoleFile[]) =>
  row(
    label,
    ...(['raw', 'gzip', 'brotli'] as const).map((form) =>
      String(files.reduce((sum, file) => sum + file[form].byteLength, 0)),
    ),
  )

const { document, assets } = await buildConsole()
const text = new TextDecoder().decode(document.raw)
const isText = ({ name }: ConsoleFile) => !name.endsWith('.woff2')
const first = assets.filter(({ name }) => new RegExp(`(?:href|src)="/console/${name}"`).test(text))

row('bytes', 'raw', 'gzip', 'brotli')
for (const file of [document, ...assets]) show(file.name, [file])
show(`first load without the font (goal ${GOALS.firstBytes})`, [document, ...first.filter(isText)])
show(`everything without the font (goal ${GOALS.allBytes})`, [document, ...assets.filter(isText)])
