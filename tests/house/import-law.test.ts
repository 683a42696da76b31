import { beforeAll, describe, expect, test } from 'bun:test'
import { cp, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const ADAPTER = 'lib/adapters/database/index.ts'

/** A file, and the modules that it may not import. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  'src/main.ts': [`./${ADAPTER}`, 'elysia'],
  'src/cli/commands.ts': [`../${ADAPTER}`, 'elysia'],
  'src/cli/serve.ts': [`../${ADAPTER}`],
  'src/config/config.ts': ['../lib/adapters/hosts/forge/index.ts', '../demo/people.ts'],
  'src/config/table.ts': ['../lib/adapters/hosts/forge/index.ts', '../demo/people.ts'],
  'src/config/table/catalog.ts': [
    '../../lib/adapters/hosts/forge/index.ts',
    '../../demo/people.ts',
  ],
  'src/app.ts': [`./${ADAPTER}`, './demo/people.ts'],
  'src/cli/healthcheck.ts': ['../demo/people.ts'],
  'src/compose/portal.ts': [`../${ADAPTER}`, '../demo/people.ts', 'elysia'],
  'src/routes/healthz.ts': [`../${ADAPTER}`, `#src/${ADAPTER}`, '../demo/people.ts'],
  'src/lib/http/edge.ts': [
    '../adapters/database/index.ts',
    '../presenters/cli/schemas.ts',
    '../../demo/people.ts',
    '../../config/config.ts',
    '#src/compose/portal.ts',
    '../../compose/parts.ts',
    '../../routes/healthz.ts',
    '#src/routes.gen.ts',
  ],
  'src/lib/presenters/cli/schemas.ts': [
    '../../adapters/database/index.ts',
    '../../../routes/healthz.ts',
    '../../../config/config.ts',
    '#src/compose/portal.ts',
    'elysia',
  ],
  'src/lib/domain/catalog/query.ts': [
    '../../adapters/database/index.ts',
    '../../http/respond.ts',
    '../../presenters/cli/schemas.ts',
    '../../logging/log.ts',
    '../../outbound/read-body.ts',
    '../../metrics/metrics.ts',
    '#src/config/config.ts',
    '#src/config/table.ts',
    '#src/config/table/catalog.ts',
    '../../settings/setting.ts',
    '../../../app.ts',
    '../../../deps.ts',
    '#src/compose/parts.ts',
    '../../../cli/serve.ts',
    '../../../compose/installation.ts',
    '../../../compose/chosen-ports.ts',
    '../../../cli/connection-check.ts',
    '../../../config/mistakes.ts',
    '../../../config/database.ts',
    '../../../termination.ts',
    '../../../cli/exit-status.ts',
    '../../../main.ts',
    'node:fs',
    'node:fs/promises',
    'bun',
    'bun:sqlite',
    'elysia',
  ],
  'src/lib/ports/git-host.ts': ['../domain/catalog/query.ts', '../logging/log.ts', 'elysia'],
  'src/lib/git/git.ts': [
    '../adapters/hosts/forge/index.ts',
    '../domain/catalog/query.ts',
    'elysia',
  ],
  'src/lib/adapters/database/sql.ts': [
    '../../domain/catalog/query.ts',
    '../../http/respond.ts',
    '../../presenters/cli/schemas.ts',
    '../../../config/config.ts',
    '#src/app.ts',
    '../../../compose/portal.ts',
    'elysia',
  ],
  'src/lib/result.ts': ['./domain/catalog/query.ts', './ports/git-host.ts'],
  'src/lib/yaml/read.ts': [
    '../domain/catalog/problem.ts',
    '../ports/git-host.ts',
    '../http/body.ts',
  ],
  'src/lib/schema/named.ts': ['../domain/catalog/problem.ts'],
  'src/lib/settings/setting.ts': ['../adapters/hosts/index.ts'],
  'src/lib/text/json.ts': ['../http/body.ts'],
  'src/lib/crypto/keyring.ts': ['../ports/git-host.ts'],
  'src/lib/outbound/read-body.ts': ['../adapters/database/index.ts'],
  'src/lib/logging/log.ts': ['../http/edge.ts', '../domain/audit/audit.ts'],
  'src/lib/concurrency/ttl-cache.ts': ['../ports/git-host.ts', 'elysia'],
  'src/serve-pages.ts': ['./console/paths.ts', './console/router.ts', '#src/console/api/call.ts'],
  'src/lib/http/console/pages.ts': [
    '#src/console/router.ts',
    '#src/console/api/call.ts',
    '../../../console/router.ts',
    '../../../demo/people.ts',
  ],
  'src/console/main.tsx': [
    '#src/lib/result.ts',
    '../lib/result.ts',
    '../app.ts',
    '../config/config.ts',
    '../demo/people.ts',
    '#src/openapi.gen.json',
    'elysia',
    'typebox',
    'bun',
    'bun:sqlite',
    'node:fs',
    'node:fs/promises',
  ],
  'src/console/ui/field.tsx': [
    '../pages/audit/page.tsx',
    '../shell/frame.tsx',
    '../../lib/result.ts',
  ],
  'src/console/api/call.ts': ['../ui/field.tsx', '../pages/audit/page.tsx', '../../lib/result.ts'],
  'src/demo/routes/dev/index.ts': ['../../../lib/adapters/hosts/forge/index.ts'],
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/compose/installation.ts': [`../${ADAPTER}`],
  'src/compose/chosen-ports.ts': [`../${ADAPTER}`],
  'src/compose/secret-folder.ts': [`../${ADAPTER}`],
  'src/compose/connections/subjects.ts': [`../../${ADAPTER}`],
  'src/config/config.ts': ['../lib/adapters/hosts/index.ts'],
  'src/config/table/catalog.ts': ['../../lib/adapters/hosts/index.ts'],
  'src/demo/prepare.ts': [`../${ADAPTER}`],
  'src/cli/commands.ts': ['../demo/demo.ts'],
  'src/app.ts': ['./routes.gen.ts', './lib/http/console/pages.ts', 'elysia'],
  'src/routes/healthz.ts': ['../lib/presenters/cli/schemas.ts', 'elysia'],
  'src/lib/http/console/pages.ts': ['#src/console/paths.ts', './answers.ts', 'elysia'],
  'src/console/main.tsx': ['preact', '@preact/signals', './pages/audit/page.tsx', './ui/field.tsx'],
  'src/console/pages/audit/page.tsx': ['../../ui/field.tsx', '../../api/call.ts', '../../paths.ts'],
  'src/console/ui/field.tsx': ['../api/call.ts', '../paths.ts'],
  'src/lib/http/edge.ts': ['../domain/catalog/query.ts', 'elysia'],
  'src/lib/presenters/cli/schemas.ts': ['../../http/respond.ts', '../../domain/cli/cli.ts'],
  'src/lib/domain/catalog/query.ts': ['../../ports/git-host.ts', '../../yaml/read.ts'],
  'src/lib/adapters/database/sql.ts': ['../../ports/database.ts', '../../outbound/read-body.ts'],
  'src/lib/concurrency/ttl-cache.ts': ['../ports/clock.ts'],
}

interface Report {
  readonly diagnostics: readonly {
    readonly code: string
    readonly filename: string
    readonly labels: readonly { readonly span: { readonly line: number } }[]
  }[]
}

const FILES = [...new Set([...Object.keys(FORBIDDEN), ...Object.keys(ALLOWED)])]

/** Every import of a file, as a value and as a type, one a line. */
const linesOf = (file: string): readonly string[] =>
  [...(FORBIDDEN[file] ?? []), ...(ALLOWED[file] ?? [])].flatMap((imported, index) => [
    `import * as value${index} from '${imported}'`,
    `import type * as type${index} from '${imported}'`,
  ])

/** Files of a tree that is all violations, linted once under our rules. The real tree is checked by `verify`. */
const folder = folderOfTests()
let report: Report

beforeAll(async () => {
  await cp('.oxlintrc.json', join(folder, '.oxlintrc.json'))
  await cp('tsconfig.json', join(folder, 'tsconfig.json'))
  // The linter looks for its type checker there.
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  for (const file of FILES) await Bun.write(join(folder, file), `${linesOf(file).join('\n')}\n`)
  await Bun.write(join(folder, 'src/lib/a.ts'), "import { b } from './b.ts'\nexport const a = b\n")
  const cycle = "import type * as a from './a.ts'\nexport const b: keyof typeof a | 1 = 1\n"
  await Bun.write(join(folder, 'src/lib/b.ts'), cycle)
  const run = Bun.spawn([resolve('node_modules/.bin/oxlint'), '--format', 'json', 'src'], {
    cwd: folder,
    stdout: 'pipe',
  })
  report = (await run.stdout.json()) as Report
})

/** The imports of a file that a rule reports, in the order of their lines. */
const reported = (file: string, rule: string): readonly string[] =>
  report.diagnostics
    .filter(({ code, filename }) => code.includes(rule) && filename === file)
    .map(({ labels }) => labels[0]?.span.line ?? 0)
    .toSorted((one, other) => one - other)
    .map((line) => linesOf(file)[line - 1] ?? `line ${line}`)

describe('the import law', () => {
  test.each(FILES)('of %s', (file) => {
    const forbidden = linesOf(file).slice(0, 2 * (FORBIDDEN[file]?.length ?? 0))
    expect(reported(file, 'no-restricted-imports')).toStrictEqual(forbidden)
  })

  test('cycles are reported, those of types too', () => {
    expect(reported('src/lib/a.ts', 'no-cycle')).toHaveLength(1)
  })
})
