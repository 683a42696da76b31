import { describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const OXLINT = resolve('node_modules/.bin/oxlint')

/** Lints files of another tree under our rules. The real tree is checked by `verify`. */
async function lint(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-law-'))
  try {
    await cp('.oxlintrc.json', join(folder, '.oxlintrc.json'))
    await cp('tsconfig.json', join(folder, 'tsconfig.json'))
    // The linter looks for its type checker there.
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
    for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text)
    const run = Bun.spawn([OXLINT, 'src'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
    const output = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
    ])
    return output.join('\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const ADAPTER = 'lib/adapters/database/index.ts'

/** A file, and what it may not import. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['src/routes/healthz.ts', `../${ADAPTER}`],
  ['src/routes/healthz.ts', `#src/${ADAPTER}`],
  ['src/routes/healthz.ts', '../lib/demo/people.ts'],
  ['src/main.ts', `./${ADAPTER}`],
  ['src/app.ts', `./${ADAPTER}`],
  ['src/lib/http/edge.ts', '../adapters/database/index.ts'],
  ['src/lib/http/edge.ts', '../demo/people.ts'],
  ['src/lib/http/edge.ts', '../../config.ts'],
  ['src/lib/http/edge.ts', '#src/portal.ts'],
  ['src/lib/http/edge.ts', '../../portal-catalog.ts'],
  ['src/lib/http/edge.ts', '../../routes/healthz.ts'],
  ['src/lib/http/edge.ts', '#src/routes.gen.ts'],
  ['src/lib/domain/catalog/query.ts', '../../adapters/database/index.ts'],
  ['src/lib/domain/catalog/query.ts', '../../http/respond.ts'],
  ['src/lib/domain/catalog/query.ts', '#src/config.ts'],
  ['src/lib/domain/catalog/query.ts', '#src/config/setting.ts'],
  ['src/lib/domain/catalog/query.ts', '../../../app.ts'],
  ['src/lib/domain/catalog/query.ts', '../../../portal.ts'],
  ['src/lib/domain/catalog/query.ts', '#src/portal-catalog.ts'],
  ['src/lib/domain/catalog/query.ts', '../../../serve.ts'],
  ['src/lib/domain/catalog/query.ts', '../../../server.ts'],
  ['src/lib/domain/catalog/query.ts', '../../../main.ts'],
  ['src/lib/domain/catalog/query.ts', '../../log.ts'],
  ['src/lib/domain/catalog/query.ts', 'node:fs'],
  ['src/lib/domain/catalog/query.ts', 'node:fs/promises'],
  ['src/lib/domain/catalog/query.ts', 'bun'],
  ['src/lib/domain/catalog/query.ts', 'bun:sqlite'],
  ['src/lib/domain/catalog/query.ts', 'elysia'],
  ['src/lib/ports/git-host.ts', '../domain/catalog/query.ts'],
  ['src/lib/ports/git-host.ts', 'elysia'],
  ['src/lib/adapters/database/sql.ts', '../../domain/catalog/query.ts'],
  ['src/lib/adapters/database/sql.ts', '../../http/respond.ts'],
  ['src/lib/adapters/database/sql.ts', '../../../config.ts'],
  ['src/lib/adapters/database/sql.ts', '#src/app.ts'],
  ['src/lib/adapters/database/sql.ts', '../../../portal.ts'],
  ['src/lib/adapters/database/sql.ts', '#src/portal-catalog.ts'],
  ['src/lib/adapters/database/sql.ts', 'elysia'],
  ['src/portal.ts', `./${ADAPTER}`],
  ['src/portal.ts', 'elysia'],
  ['src/lib/demo/routes/index.ts', '../../adapters/git-host/local/index.ts'],
]

describe('the import law', () => {
  test.each(FORBIDDEN)('%s may not import %s', async (file, imported) => {
    for (const statement of ['import * as other', 'import type * as other']) {
      const report = await lint({
        [file]: `${statement} from '${imported}'\nexport type Other = typeof other\n`,
      })
      expect(report).toContain('no-restricted-imports')
    }
  })

  test.each([
    ['src/serve.ts', `./${ADAPTER}`],
    ['src/app.ts', './routes.gen.ts'],
    ['src/lib/http/edge.ts', '../domain/catalog/query.ts'],
    ['src/lib/http/edge.ts', 'elysia'],
    ['src/lib/adapters/database/sql.ts', '../../ports/database.ts'],
    ['src/lib/domain/catalog/load.ts', '../../ports/git-host.ts'],
  ])('%s may import %s', async (file, imported) => {
    const report = await lint({
      [file]: `import type * as other from '${imported}'\nexport type Other = typeof other\n`,
    })
    expect(report).toContain('Finished')
    expect(report).not.toContain('no-restricted-imports')
  })

  test('cycles are reported', async () => {
    const report = await lint({
      'src/lib/a.ts': "import { b } from './b.ts'\nexport const a = (): unknown => b\n",
      'src/lib/b.ts': "import { a } from './a.ts'\nexport const b = (): unknown => a\n",
    })
    expect(report).toContain('no-cycle')
  })
})
