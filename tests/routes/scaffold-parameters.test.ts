import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { err } from '#src/lib/result.ts'
import { allEvents, storyOf } from '#tests/support/event-stream.ts'
import {
  openPortal,
  sharedPortal,
  template,
  TEMPLATES,
  type TestPortal,
} from '#tests/support/portal.ts'

const PARAMETERS = {
  type: 'object',
  properties: {
    port: { type: 'integer', title: 'Port', default: 8080, minimum: 1024, maximum: 65535 },
    size: { enum: ['small', 'large'], default: 'small' },
    public: { type: 'boolean', default: false },
    greeting: { type: 'string', default: 'Hello', maxLength: 40 },
    region: { type: 'string', pattern: '^[a-z]{2}$', examples: ['eu'] },
  },
  required: ['region'],
}
const WORKFLOW = '.github/workflows/ci.yaml'
const FILES = {
  'templates/service/template.yaml': template('service', { parameters: PARAMETERS }),
  'templates/service/skeleton/README.md': '# {{ values.parameters.greeting }}\n',
  'templates/service/skeleton/app.yaml':
    'port: {{ values.parameters.port }}\npublic: {{ values.parameters.public }}\ngreeting: "{{ values.parameters.greeting }}"\n',
  [`templates/service/skeleton/${WORKFLOW}`]:
    'env:\n  REGION: "{{ values.parameters.region }}"\nrun: echo ${{ github.sha }}\n',
  'templates/service/skeleton/src/{{ values.parameters.size }}.txt':
    'EXPOSE {{ values.parameters.port }}\n',
}
const WANTED = {
  templateId: 'service',
  appName: 'refund-api',
  team: 'payments',
  namespace: 'payments-dev',
}
const DRY = '?dryRun=true'

const open = (more: Readonly<Record<string, string>> = {}) =>
  openPortal({ templates: { ...FILES, ...more } })

const post = (
  portal: TestPortal,
  parameters: unknown,
  query = '',
  headers: Readonly<Record<string, string>> = {},
) =>
  portal.request(`/api/v1/scaffold${query}`, {
    as: 'dev',
    headers: headers,
    json: { ...WANTED, parameters },
  })

interface Problem {
  readonly code: string
  readonly detail: string
  readonly errors?: readonly { readonly path: string; readonly rule: string }[]
}

async function refusal(response: Response) {
  const { code, errors = [] } = (await response.json()) as Problem
  return [response.status, code, ...errors.map(({ path, rule }) => `${path} ${rule}`)]
}

const fileAt = (portal: TestPortal, file: string) =>
  Bun.$`git --git-dir=${join(portal.directory, 'acme/refund-api.git')} show ${`main:${file}`}`
    .quiet()
    .text()

/** For requests that change nothing. */
const unchanged = sharedPortal(open)

describe('parameters of a template', () => {
  test('are in the list, for forms, and only where there are some', async () => {
    await using portal = await open({
      'templates/bare/template.yaml': template('bare'),
      'templates/bare/skeleton/a': 'a',
    })
    const list = await portal.request('/api/v1/scaffold/templates', { as: 'dev' })
    const [bare, service] = (await list.json()) as { parameters?: unknown }[]
    expect(bare?.parameters).toBeUndefined()
    expect(service?.parameters).toStrictEqual(PARAMETERS)
  })

  test('are in the files, the dry run and the run', async () => {
    await using portal = await open()
    const wish = { region: 'eu', public: true, greeting: 'Say: "Hi"'.replaceAll('"', "'") }
    const values = { port: 8080, size: 'small', ...wish }
    const dry = await post(portal, wish, DRY)
    const preview = (await dry.json()) as {
      parameters: object
      files: { target: string; path: string; content: string }[]
    }
    expect(preview.parameters).toStrictEqual(values)

    const started = await post(portal, wish)
    expect(storyOf(await allEvents(started)).at(-1)).toBe('done')
    for (const { path, content } of preview.files.filter(({ target }) => target === 'repo')) {
      expect(await fileAt(portal, path)).toBe(content)
    }
    expect(await fileAt(portal, 'README.md')).toBe("# Say: 'Hi'\n")
    expect(await fileAt(portal, 'app.yaml')).toBe(
      'port: 8080\npublic: true\ngreeting: "Say: \'Hi\'"\n',
    )
    expect(await fileAt(portal, WORKFLOW)).toBe(
      'env:\n  REGION: "eu"\nrun: echo ${{ github.sha }}\n',
    )
    expect(await fileAt(portal, 'src/small.txt')).toBe('EXPOSE 8080\n')
    const run = await portal.request(started.headers.get('location') ?? '', { as: 'dev' })
    expect(await run.json()).toMatchObject({ status: 'complete', parameters: values })
  })

  test.each<readonly [string, unknown, readonly string[]]>([
    ['none at all', undefined, ['/parameters/region required']],
    ['no object', [], ['/parameters type']],
    ['a number as text', { region: 'eu', port: '8080' }, ['/parameters/port type']],
    ['a misspelt name', { region: 'eu', prot: 1 }, ['/parameters/prot unknown']],
    [
      'a text that ends its quotes',
      { region: 'eu', greeting: 'a", b: "c' },
      ['/parameters/greeting one_value'],
    ],
    [
      'everything at once',
      { port: 1, size: 'xl', prot: 1, greeting: 'x'.repeat(41) },
      [
        '/parameters/port minimum',
        '/parameters/size one_of',
        '/parameters/greeting max_length',
        '/parameters/region required',
        '/parameters/prot unknown',
      ],
    ],
  ])('%s: refused before anything is made', async (_, parameters, errors) => {
    for (const query of ['', DRY]) {
      const refused = await refusal(await post(unchanged(), parameters, query))
      expect(refused).toStrictEqual([422, 'validation_failed', ...errors])
    }
  })

  test('are checked with everything else that is wrong in a request', async () => {
    await using portal = await open()
    const key = { 'idempotency-key': 'a b' }
    expect(await refusal(await post(portal, { port: 1 }, '', key))).toStrictEqual([
      422,
      'validation_failed',
      '/headers/idempotency-key idempotency_key',
      '/parameters/port minimum',
      '/parameters/region required',
    ])
  })

  test('of a template without any are refused', async () => {
    await using portal = await openPortal()
    expect(await refusal(await post(portal, { port: 1 }))).toStrictEqual([
      422,
      'validation_failed',
      '/parameters/port unknown',
    ])
    expect((await post(portal, {}, DRY)).status).toBe(200)
  })

  test('stay with a run that is retried, whatever the template says by then', async () => {
    let isAllowed = false
    await using portal = await openPortal({
      templates: {
        ...FILES,
        'templates/service/gitops/kustomization.yaml': 'resources: [app.yaml]\n',
        'templates/service/gitops/app.yaml': 'port: {{ values.parameters.port }}\n',
      },
      openSecretStore: (files) => ({
        ...files,
        describe: async (...args) =>
          isAllowed ? files.describe(...args) : err({ kind: 'secret_store_denied', what: 'read' }),
      }),
    })
    const started = await post(portal, { region: 'eu', port: 9090 })
    expect(storyOf(await allEvents(started)).at(-1)).toBe('failed')
    const changed = template('service', { version: '2.0.0' })
    await portal.commit({ 'templates/service/template.yaml': changed }, TEMPLATES)
    isAllowed = true
    const run = started.headers.get('location') ?? ''
    const retried = await portal.request(`${run}/retry`, { method: 'POST', as: 'dev' })
    expect(storyOf(await allEvents(retried)).at(-1)).toBe('done')
    const base = 'scaffold/payments/refund-api:apps/payments/refund-api/base/app.yaml'
    const bare = join(portal.directory, 'acme/gitops.git')
    expect(await Bun.$`git --git-dir=${bare} show ${base}`.quiet().text()).toBe('port: 9090\n')
    const ended = await portal.request(run, { as: 'dev' })
    expect(await ended.json()).toMatchObject({ parameters: { region: 'eu', port: 9090 } })
  })

  test('make another request of the same one, in whatever order they come', async () => {
    await using portal = await open()
    const key = { 'idempotency-key': 'k' }
    const first = await post(portal, { region: 'eu', port: 9090 }, '', key)
    await allEvents(first)
    const again = await post(portal, { port: 9090, region: 'eu' }, '', key)
    expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'))
    await allEvents(again)
    const other = await post(portal, { region: 'eu', port: 9091 }, '', key)
    expect(await refusal(other)).toStrictEqual([422, 'idempotency_key_reused'])
  })
})

describe('a template with parameters', () => {
  test('that has a mistake in them is left out, and the mistake is a problem at its place', async () => {
    await using portal = await open({
      'templates/wrong/template.yaml': `${template('wrong').slice(0, -1)},
        "parameters": { type: object, properties: {
          size: { type: string, $ref: "#/x" } } } }`,
      'templates/wrong/skeleton/a': 'a',
    })
    const list = await portal.request('/api/v1/scaffold/templates', { as: 'dev' })
    expect(await list.json()).toMatchObject([{ id: 'service' }])
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toMatchObject([
      { code: 'template_invalid', ref: 'template/wrong', line: 3, column: 39 },
    ])
  })

  test.each<readonly [string, string, string]>([
    [
      'a parameter that it does not have',
      'a: {{ values.parameters.prot }}',
      'template.yaml does not have',
    ],
    [
      'a text left out where YAML needs one',
      'a: {{ values.parameters.note }}',
      'the default of parameters/note',
    ],
  ])('and %s cannot be rendered, and says so', async (_, content, detail) => {
    await using portal = await open({
      'templates/service/template.yaml': template('service', {
        parameters: { type: 'object', properties: { note: { type: 'string' } } },
      }),
      'templates/service/skeleton/own.yaml': content,
    })
    await portal.commit(
      {
        'templates/service/skeleton/app.yaml': null,
        [`templates/service/skeleton/${WORKFLOW}`]: null,
        'templates/service/skeleton/README.md': null,
        'templates/service/skeleton/src/{{ values.parameters.size }}.txt': null,
      },
      TEMPLATES,
    )
    const response = await post(portal, {}, DRY)
    const problem = (await response.json()) as Problem
    expect([response.status, problem.code]).toStrictEqual([409, 'template_broken'])
    expect(problem.detail).toContain(detail)
  })

  test('is served although a text is outside of quotes in code, named, and takes one word there', async () => {
    const script = 'templates/service/skeleton/run.sh'
    await using portal = await open({
      [script]: 'set -e\ndeploy {{ values.parameters.greeting }} {{ values.parameters.region }}\n',
    })
    const listed = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await listed.json()).toMatchObject([
      { code: 'template_unquoted', severity: 'warning', path: script, line: 2 },
    ])
    const refused = await post(portal, { region: 'eu', greeting: 'x --privileged' }, DRY)
    expect(await refusal(refused)).toStrictEqual([
      422,
      'validation_failed',
      '/parameters/greeting code_text',
    ])
    expect((await post(portal, { region: 'eu' }, DRY)).status).toBe(200)
  })

  test('puts no text into the name of a file that could lead elsewhere', async () => {
    await using portal = await open({
      'templates/service/skeleton/docs/{{ values.parameters.greeting }}.txt': 'a',
    })
    const refused = await post(portal, { region: 'eu', greeting: '../../a' }, DRY)
    expect(await refusal(refused)).toStrictEqual([
      422,
      'validation_failed',
      '/parameters/greeting file_name',
    ])
    expect((await post(portal, { region: 'eu', greeting: 'hello' }, DRY)).status).toBe(200)
  })

  test('refuses a description that would break its YAML', async () => {
    await using portal = await openPortal({
      templates: {
        'templates/service/template.yaml': template('service'),
        'templates/service/skeleton/a.yaml': 'about: "{{ values.description }}"\n',
      },
    })
    const wish = (description: string) =>
      portal.request(`/api/v1/scaffold${DRY}`, { as: 'dev', json: { ...WANTED, description } })
    expect((await wish("It's quick")).status).toBe(200)
    expect(await refusal(await wish('the "best"'))).toStrictEqual([
      422,
      'validation_failed',
      '/description one_value',
    ])
  })
})
