import { expect, test } from 'bun:test'
import { Ajv } from 'ajv'
import { mkdir, mkdtemp, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RepositoryPath } from '#src/lib/names.ts'
import { checkCheckout } from '#src/cli/validate/check-checkout.ts'
import { COMMIT, createCheckout, REPOSITORY } from '#src/cli/validate/checkout.ts'
import { type Format, formats } from '#src/cli/validate/reports.ts'
import { validate } from '#src/cli/validate/validate.ts'
import { hostileYaml } from '#tests/support/hostile-yaml.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { component, template } from '#tests/support/portal.ts'
import { PROGRAM, runPortico } from '#tests/support/portico-process.ts'

async function openCheckout(files: Readonly<Record<string, string>>) {
  const path = await mkdtemp(join(tmpdir(), 'portico-checkout-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

async function check(folder: string, format: Format = 'json', environment = {}) {
  let printed = ''
  const print = (text: string) => void (printed += text)
  const valid = await validate({ folder, format, print }, { environment, readFile: () => '' })
  return { valid, printed }
}

type Json = { entities: string[]; templates: string[]; problems: Record<string, unknown>[] }
const found = async (folder: string) => JSON.parse((await check(folder)).printed) as Json

const A = 'catalog/payments/a.yaml'
const B = 'catalog/payments/b.yaml'

test('a right checkout has entities and templates, and no problem', async () => {
  await using checkout = await openCheckout({
    [A]: component('refunds'),
    'templates/service/template.yaml': template('service'),
    'templates/service/skeleton/README.md': 'text',
  })
  expect(await check(checkout.path)).toMatchObject({ valid: { ok: true, value: true } })
  expect(await found(checkout.path)).toMatchObject({
    entities: ['component/refunds'],
    templates: ['service'],
  })
})

test('problems between files are found, and a template that is broken', async () => {
  await using checkout = await openCheckout({
    [A]: component('refunds'),
    [B]: component('refunds'),
    'catalog/payments/c.yaml': component('ledger', '  dependsOn: [component:nobody]\n'),
    'templates/service/template.yaml': template('other'),
    'templates/service/skeleton/README.md': 'text',
  })
  expect((await check(checkout.path)).valid).toStrictEqual({ ok: true, value: false })
  const { problems } = await found(checkout.path)
  expect(problems).toMatchObject([
    { path: A, code: 'entity_duplicate', severity: 'warning' },
    { path: B, code: 'entity_duplicate', severity: 'error', line: 1 },
    { path: 'catalog/payments/c.yaml', code: 'relation_broken' },
    { path: 'templates/service/template.yaml', code: 'template_invalid' },
  ])
})

test('a parameter outside of quotes in code is a warning, with its line', async () => {
  const parameters = { type: 'object', properties: { x: { type: 'string' } } }
  const path = 'templates/service/skeleton/run.sh'
  await using checkout = await openCheckout({
    'templates/service/template.yaml': template('service', { parameters }),
    [path]: 'set -e\ndeploy {{ values.parameters.x }}\n',
  })
  expect((await check(checkout.path)).valid).toStrictEqual({ ok: true, value: true })
  const { problems } = await found(checkout.path)
  expect(problems).toMatchObject([{ path, code: 'template_unquoted', line: 2 }])
})

test('warnings alone are no failure, and lifecycles are those of ENVIRONMENTS', async () => {
  await using checkout = await openCheckout({
    [A]: component('refunds').replace('lifecycle: development', 'lifecycle: qa'),
  })
  const { valid, printed } = await check(checkout.path)
  expect(valid).toStrictEqual({ ok: true, value: true })
  expect(printed).toContain('lifecycle_unknown')
  const known = await check(checkout.path, 'json', { ENVIRONMENTS: 'qa:qa:member' })
  expect(known.printed).not.toContain('lifecycle_unknown')
})

test('nothing outside of the checkout is read, and nothing large', async () => {
  await using outside = await openCheckout({ 'c/x.yaml': component('secret') })
  await using checkout = await openCheckout({
    [A]: component('refunds'),
    'catalog/nested/.git': 'gitdir: elsewhere',
    'catalog/nested/x.yaml': component('nested'),
    'catalog/large.yaml': '',
  })
  await symlink(join(outside.path, 'c'), join(checkout.path, 'catalog/linked'))
  await symlink(join(outside.path, 'c/x.yaml'), join(checkout.path, 'catalog/x.yaml'))
  await truncate(join(checkout.path, 'catalog/large.yaml'), 2 * 1024 * 1024)
  const { entities, problems } = await found(checkout.path)
  expect(entities).toStrictEqual(['component/refunds'])
  expect(problems.map(({ path, code }) => [path, code])).toStrictEqual([
    ['catalog/large.yaml', 'file_too_large'],
    ['catalog/linked', 'file_symbolic_link'],
    ['catalog/nested', 'file_submodule'],
    ['catalog/x.yaml', 'file_symbolic_link'],
  ])
})

test('a catalog folder that is a link is not followed', async () => {
  await using outside = await openCheckout({ 'x.yaml': component('secret') })
  await using checkout = await openCheckout({})
  await symlink(outside.path, join(checkout.path, 'catalog'))
  expect(await found(checkout.path)).toMatchObject({
    entities: [],
    problems: [{ path: 'catalog', code: 'file_symbolic_link' }],
  })
})

test('a bomb hides itself and no other file', async () => {
  await using checkout = await openCheckout({ [B]: component('refunds') })
  const bombs = [hostileYaml['alias bomb'], hostileYaml['flow lists, 15,000 deep']]
  for (const [index, { bytes }] of bombs.entries()) {
    await writeFile(join(checkout.path, `catalog/${index}.yaml`), bytes)
  }
  expect(await found(checkout.path)).toMatchObject({
    entities: ['component/refunds'],
    problems: bombs.map(({ code }, index) => ({ path: `catalog/${index}.yaml`, code })),
  })
})

test('of too many files the rest is left out, and its folder is named', async () => {
  await using checkout = await openCheckout({
    'catalog/a.yaml': '',
    'catalog/shipping/b.yaml': '',
    'catalog/shipping/deep/c.yaml': '',
    'catalog/shipping/deep/d.yaml': '',
  })
  const listed = await createCheckout(checkout.path).listFiles(REPOSITORY, {
    commit: COMMIT,
    directory: RepositoryPath.of('catalog'),
    filesMax: 3,
  })
  expect(listed).toMatchObject({
    ok: true,
    value: { skipped: [{ rawPath: 'catalog/shipping', reason: 'too_many_files' }] },
  })
  expect(listed.ok && listed.value.files).toHaveLength(3)
})

/** Root may read every file, so that this one has gone. */
test('a file that cannot be read ends the check, and is named', async () => {
  await using checkout = await openCheckout({ [A]: component('refunds') })
  const host = createCheckout(checkout.path)
  const checked = await checkCheckout(
    {
      ...host,
      listFiles: async (...asked) => {
        const listed = await host.listFiles(...asked)
        await unlink(join(checkout.path, A)).catch(() => {})
        return listed
      },
    },
    pipelineOf().lifecycles,
    RepositoryPath.of('catalog'),
  )
  expect(checked).toMatchObject({ ok: false, error: expect.stringMatching(/ENOENT.*a\.yaml/) })
})

test('a name with a line break or an escape begins no line, no command and no colour', async () => {
  const evil = 'catalog/x\n::error::evil\u001B[31m##[group]%.yaml'
  await using checkout = await openCheckout({ [evil]: component('evil') })
  const text = await check(checkout.path, 'text')
  expect(text.printed.split('\n')).toHaveLength(2)
  expect(text.printed).not.toContain('\u001B')
  expect(text.printed).not.toContain('##[')
  expect(text.printed).toContain(
    String.raw`x\u{a}::error::evil\u{1b}[31m\u{23}#[group]%.yaml: error`,
  )
  const github = await check(checkout.path, 'github')
  expect(github.printed.split('\n')).toHaveLength(2)
  expect(github.printed).toStartWith(
    String.raw`::error file=catalog/x\u{a}%3A%3Aerror%3A%3Aevil\u{1b}[31m\u{23}#[group]%25.yaml,title=file_unsafe_path::`,
  )
})

test('characters that turn or colour text are escaped in JSON and SARIF, and mean the same', () => {
  const text = 'a\u009B31m\u202Eb\u{E0041}\u2028\n\u007F'
  const problem = {
    severity: 'error',
    code: 'field_missing',
    path: text,
    line: null,
    column: null,
    ref: null,
    message: text,
  } as const
  const checked = { entities: [], templates: [], problems: [problem] }
  const place = { given: '.', prefix: '' }
  const json = formats.json(checked, place)
  expect(json).toContain(String.raw`"a\u009b31m\u202eb\udb40\udc41\u2028\n\u007f"`)
  expect(JSON.parse(json) as unknown).toStrictEqual(checked)
  expect(formats.sarif(checked, place)).toContain(String.raw`31m\u202eb`)
})

test('SARIF is as OASIS defines it, whatever the names', async () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false })
  const schema = (await Bun.file(
    'tests/cli/validate/sarif/sarif-2.1.0.schema.json',
  ).json()) as object
  const { $schema: _, id: __, ...rest } = schema as Record<string, unknown>
  const isSarif = ajv.compile(rest)
  await using checkout = await openCheckout({
    [A]: 'kind: [',
    'catalog/a b%\n.yaml': 'x',
    [B]: component('refunds'),
  })
  const { printed } = await check(checkout.path, 'sarif')
  const log = JSON.parse(printed) as { runs: { results: object[] }[] }
  isSarif(log)
  expect(isSarif.errors).toBeNull()
  expect(isSarif({ ...log, version: '2.0.0' })).toBe(false)
  expect(isSarif({ ...log, runs: [{ results: [{ message: 'text' }] }] })).toBe(false)
  expect(log.runs[0]?.results).toMatchObject([
    {
      locations: [{ physicalLocation: { artifactLocation: { uri: 'catalog/a%20b%25%0A.yaml' } } }],
    },
    {
      locations: [{ physicalLocation: { artifactLocation: { uri: A }, region: { startLine: 1 } } }],
    },
  ])
})

test('files are named as the working directory sees them', () => {
  const problem = {
    severity: 'error',
    code: 'field_missing',
    path: A,
    line: 3,
    column: 5,
    ref: null,
    message: 'is missing',
  } as const
  const checked = { entities: [], templates: [], problems: [problem] }
  const place = { given: './gitops', prefix: 'gitops' }
  expect(formats.text(checked, place)).toBe(
    `gitops/${A}:3:5: error: is missing (field_missing)\n0 entities and 0 templates: 1 error, 0 warnings`,
  )
  expect(formats.github(checked, place)).toStartWith(
    `::error file=gitops/${A},line=3,col=5,title=field_missing::is missing\n`,
  )
  expect(formats.sarif(checked, place)).toContain(`"uri": "gitops/${A}"`)
})

test('the process ends with 0, 1 or 2, and needs no settings', async () => {
  await using checkout = await openCheckout({ [A]: 'kind: [' })
  await using empty = await openCheckout({ catalog: 'no folder' })
  const statusOf = async (...args: string[]) =>
    (await runPortico(['validate', ...args], {})).exitCode
  expect(await statusOf(checkout.path)).toBe(1)
  expect(await statusOf(checkout.path, '--format', 'xml')).toBe(2)
  expect(await statusOf()).toBe(2)
  const none = join(checkout.path, 'none')
  const missing = await runPortico(['validate', none], {})
  expect([missing.exitCode, missing.stderr]).toStrictEqual([2, `portico: ${none} does not exist\n`])
  expect(await statusOf(join(checkout.path, A))).toBe(2)
  expect(await statusOf(empty.path)).toBe(2)
  await writeFile(join(checkout.path, A), component('refunds'))
  const fine = await runPortico(['validate', checkout.path], {})
  expect([fine.exitCode, fine.stdout, fine.stderr]).toStrictEqual([
    0,
    '1 entity and 0 templates: 0 errors, 0 warnings\n',
    '',
  ])
})

test('a reader that leaves early gets its lines, and changes no status', async () => {
  const broken = Array.from({ length: 2_000 }, (_, index) => [`catalog/${index}.yaml`, 'kind: ['])
  await using checkout = await openCheckout(Object.fromEntries(broken) as Record<string, string>)
  const words = [...PROGRAM, 'validate', checkout.path].map((word) => `'${word}'`).join(' ')
  const child = Bun.spawn(['sh', '-c', `{ ${words}; echo $? >&2; } | head -n 1`], {
    stderr: 'pipe',
  })
  expect((await child.stdout.text()).split('\n')).toHaveLength(2)
  expect(await child.stderr.text()).toBe('1\n')
})
