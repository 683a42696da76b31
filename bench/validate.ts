/**
 * `portico validate` of a checkout, beside a process in which js-yaml loads the same files and does nothing else.
 * `[PORTICO_EXECUTABLE=dist/portico] bun bench/validate.ts [files]` (default 10000); without it, from source
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { median } from './support/installation.ts'
import { generateOrganisation } from './support/organisation.ts'
import { row } from './support/row.ts'

const ROUNDS = 7
const files = Number(process.argv[2] ?? 10_000)
const executable = process.env['PORTICO_EXECUTABLE']
const portico = executable === undefined ? ['bun', 'src/main.ts'] : [resolve(executable)]

const YARDSTICK = `
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
for (const name of new Bun.Glob('catalog/**/*.yaml').scanSync(process.argv[1])) {
  load(readFileSync(process.argv[1] + '/' + name, 'utf8'))
}`

async function tookMs(command: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  return performance.now() - startedAt
}

const folder = await mkdtemp(join(tmpdir(), 'portico-bench-validate-'))
try {
  for (const { path, text } of generateOrganisation(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const alone: number[] = []
  const validated: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await tookMs(['bun', '-e', YARDSTICK, folder]))
    validated.push(await tookMs([...portico, 'validate', folder]))
  }
  row(`js-yaml alone, ${files} files, ms`, median(alone).toFixed(0))
  row(`portico validate, ${files} files, ms`, median(validated).toFixed(0))
  row('times js-yaml alone (at most 2)', (median(validated) / median(alone)).toFixed(2))
} finally {
  await rm(folder, { recursive: true, force: true })
}
