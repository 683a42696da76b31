import { expect, test } from 'bun:test'
import { dirname, resolve } from 'node:path'
import { Glob } from 'bun'

const root = resolve(import.meta.dir, '../..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** The modules that a file loads before it runs, with those that they load. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const { path, kind } of transpiler.scanImports(await Bun.file(file).text())) {
    if (kind !== 'import-statement') continue
    if (/^\..*\.ts$/.test(path)) await loadedBy(resolve(dirname(file), path), seen)
    else seen.add(path)
  }
  return seen
}

test('the commands for people load nothing of the service, and a small part of the library', async () => {
  const client = resolve(root, 'src/cli/client')
  const loaded = new Set<string>()
  for await (const file of new Glob('*.ts').scan({ cwd: client, absolute: true })) {
    for (const module of await loadedBy(file)) loaded.add(module.replace(`${root}/`, ''))
  }
  const others = [...loaded].filter((module) => !module.startsWith('src/cli/client/'))
  expect(others.toSorted()).toStrictEqual([
    'commander',
    'node:child_process',
    'node:crypto',
    'node:fs',
    'node:net',
    'node:os',
    'node:path',
    'node:readline/promises',
    'src/cli/exit-status.ts',
    'src/cli/printable.ts',
    'src/lib/text/ip-address.ts',
    'src/lib/text/json.ts',
  ])
})

test('the start of the program loads no route, no schema library and nothing of OAuth', async () => {
  const loaded = [...(await loadedBy(resolve(root, 'src/cli/commands.ts')))]
  expect(loaded.length).toBeGreaterThan(20)
  expect(
    loaded.filter((module) => /elysia|typebox|openid|jose|routes|grants/.test(module)),
  ).toStrictEqual([])
})
