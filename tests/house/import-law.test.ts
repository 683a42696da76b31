import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Where a violation is planted, and what it imports. Each must be reported; the clean tree is checked by `verify`. */
const VIOLATIONS: readonly (readonly [string, string])[] = [
  ['src/routes/planted.ts', '../lib/adapters/database/index.ts'],
  ['src/lib/http/planted.ts', '../adapters/database/index.ts'],
  ['src/lib/domain/catalog/planted.ts', '../../adapters/database/index.ts'],
  ['src/lib/domain/catalog/planted.ts', '../../http/respond.ts'],
  ['src/lib/domain/catalog/planted.ts', 'elysia'],
  ['src/lib/domain/catalog/planted.ts', '#src/config.ts'],
  ['src/lib/ports/planted.ts', '../domain/catalog/query.ts'],
  ['src/lib/ports/planted.ts', 'elysia'],
  ['src/lib/adapters/database/planted.ts', '../../domain/catalog/query.ts'],
  ['src/lib/adapters/database/planted.ts', '../../http/respond.ts'],
  ['src/planted.ts', './lib/adapters/database/index.ts'],
  ['src/planted.ts', 'elysia'],
  ['src/routes/planted.ts', '../lib/demo/people.ts'],
]

const planted = new Set(VIOLATIONS.map(([file]) => file))
afterAll(() => {
  for (const file of planted) rmSync(file, { force: true })
})

const lint = async (file: string): Promise<string> => {
  const run = Bun.spawn(['bunx', 'oxlint', file], { stdout: 'pipe', stderr: 'pipe' })
  return new Response(run.stdout).text()
}

describe('the import law', () => {
  test.each(VIOLATIONS)('%s may not import %s', async (file, imported) => {
    await mkdir(dirname(file), { recursive: true })
    for (const statement of ['import * as planted', 'import type * as planted']) {
      await Bun.write(
        file,
        `${statement} from '${imported}'\nexport type Planted = typeof planted\n`,
      )
      expect(await lint(file)).toContain('no-restricted-imports')
    }
    rmSync(file)
  })
})

test('import cycles are reported', async () => {
  await Bun.write(
    'src/lib/planted-a.ts',
    "import { b } from './planted-b.ts'\nexport const a = () => b\n",
  )
  await Bun.write(
    'src/lib/planted-b.ts',
    "import { a } from './planted-a.ts'\nexport const b = () => a\n",
  )
  planted.add('src/lib/planted-a.ts').add('src/lib/planted-b.ts')
  const run = Bun.spawn(['bunx', 'oxlint', 'src/lib/planted-a.ts', 'src/lib/planted-b.ts'], {
    stdout: 'pipe',
  })
  expect(await new Response(run.stdout).text()).toContain('no-cycle')
})
