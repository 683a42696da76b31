import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Audit } from '#src/lib/domain/audit/audit.ts'
import { parseRepositoryId, TeamName } from '#src/lib/names.ts'
import type { GitHost, PullRequest } from '#src/lib/ports/git-host.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'
import { type ChangedFiles, commitFiles } from '#tests/support/commit-files.ts'
import { allEvents, eventsOf, storyOf } from '#tests/support/event-stream.ts'
import { expectEventsDocumented } from '#tests/support/openapi.ts'
import {
  component,
  GITOPS,
  openPortal,
  type Person,
  path,
  sharedPortal,
  template,
  TEMPLATES,
  type TestPortal,
} from '#tests/support/portal.ts'
import { type AuditedRow, auditRows } from '#tests/support/audit-rows.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const WANTED = {
  templateId: 'service',
  appName: 'refund-api',
  team: 'payments',
  namespace: 'payments-dev',
  description: 'Gives money back',
}

const post = (
  portal: TestPortal,
  body: unknown,
  {
    as = 'dev',
    query = '',
    headers = {},
  }: {
    readonly as?: Person
    readonly query?: string
    readonly headers?: Readonly<Record<string, string>>
  } = {},
) =>
  portal.request(`/api/v1/scaffold${query}`, {
    as,
    headers,
    json: body,
  })

/** The portal may do nothing at its secret store until `allow`. */
function denyingStore() {
  let isAllowed = false
  return {
    allow: () => void (isAllowed = true),
    openSecretStore: (files: SecretStore): SecretStore => ({
      ...files,
      describe: async (...args) =>
        isAllowed ? files.describe(...args) : err({ kind: 'secret_store_denied', what: 'read' }),
    }),
  }
}

/** Starts a project, and waits for its end. */
async function runOf(portal: TestPortal, body: object = WANTED) {
  const response = await post(portal, body)
  return { id: response.headers.get('x-run-id') ?? '', events: await allEvents(response) }
}

const retryOf = (portal: TestPortal, id: string, as: Person = 'dev') =>
  portal.request(`/api/v1/scaffold/runs/${id}/retry`, { method: 'POST', as })

/** There is no repository but those of the portal itself. */
const expectNothingMade = async ({ directory }: TestPortal) =>
  expect((await readdir(join(directory, 'acme'))).toSorted()).toStrictEqual([
    'gitops.git',
    'templates.git',
  ])

const COMPLETE = [
  'create_repo in_progress',
  'create_repo complete',
  'push_template in_progress',
  'push_template complete',
  'create_secret in_progress',
  'create_secret complete',
  'open_gitops_pr in_progress',
  'open_gitops_pr complete',
  'done',
]

async function filesAt(portal: TestPortal, repository: string, branch = 'main') {
  const bare = join(portal.directory, `${repository}.git`)
  const list = await Bun.$`git --git-dir=${bare} ls-tree -r --name-only ${branch}`.quiet().text()
  return list.split('\n').filter(Boolean)
}

const fileAt = (portal: TestPortal, repository: string, file: string, branch = 'main') =>
  Bun.$`git --git-dir=${join(portal.directory, `${repository}.git`)} show ${`${branch}:${file}`}`
    .quiet()
    .text()

describe('a new project', () => {
  test('is a repository, a secret entry and a pull request, told step by step', async () => {
    await using portal = await openPortal()
    const response = await post(portal, WANTED)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const runId = response.headers.get('x-run-id') ?? ''
    expect(response.headers.get('location')).toBe(`/api/v1/scaffold/runs/${runId}`)

    const events = await allEvents(response)
    expect(storyOf(events)).toStrictEqual(COMPLETE)
    expectEventsDocumented('scaffold', events)
    expect(events.map(({ id }) => id)).toStrictEqual(events.map((_, index) => `${index + 1}`))
    const done = events.at(-1)?.data
    expect(done).toStrictEqual({
      prStatus: 'open',
      repoUrl: 'http://portal.test:8080/git/acme/refund-api.git',
      prUrl: 'http://portal.test:8080/git/acme/gitops/pulls/1',
      prNumber: 1,
      runId,
    })

    expect(await filesAt(portal, 'acme/refund-api')).toStrictEqual([
      '.github/workflows/ci.yaml',
      'README.md',
      'src/refund-api.txt',
    ])
    expect(await fileAt(portal, 'acme/refund-api', 'README.md')).toBe(
      '# refund-api\n\nGives money back\n',
    )
    expect(await fileAt(portal, 'acme/refund-api', '.github/workflows/ci.yaml')).toBe(
      'run: echo ${{ github.sha }}\n',
    )
    expect(await filesAt(portal, 'acme/gitops', 'scaffold/payments/refund-api')).toStrictEqual([
      'apps/payments/refund-api/base/kustomization.yaml',
      'apps/payments/refund-api/base/xtenant-app.yaml',
      'catalog/payments/components/payments-api.yaml',
      'catalog/payments/components/refund-api.yaml',
    ])
    const pulls = await portal.git.findPullRequests(GITOPS, { number: 1 })
    expect(pulls).toMatchObject({
      ok: true,
      value: [{ title: '[Scaffold] payments/refund-api', createdBy: 'dev', mergeable: 'clean' }],
    })
    expect(await portal.secretVersions()).toStrictEqual([
      { path: 'payments/refund-api/dev/env', version: 1 },
    ])
  })

  test('without external secrets makes no entry', async () => {
    await using portal = await openPortal()
    const without = await post(portal, { ...WANTED, features: { externalSecrets: false } })
    expect(storyOf(await allEvents(without))[5]).toBe('create_secret skipped')
    expect(await portal.secretVersions()).toStrictEqual([])
  })

  test('is in the catalog after its pull request was merged', async () => {
    await using portal = await openPortal()
    await runOf(portal)
    const entity = await fileAt(
      portal,
      'acme/gitops',
      'catalog/payments/components/refund-api.yaml',
      'scaffold/payments/refund-api',
    )
    await portal.commit({ 'catalog/payments/components/refund-api.yaml': entity })
    portal.portal.catalog.invalidate()
    const found = await portal.request('/api/v1/catalog/entities/component/refund-api', {
      as: 'dev',
    })
    expect(await found.json()).toMatchObject({
      metadata: {
        name: 'refund-api',
        description: 'Gives money back',
        annotations: {
          'portico/app-path': 'apps/payments/refund-api',
          'portico/image': 'ghcr.io/acme/refund-api',
          'portico/template': 'service@1.0.0',
        },
      },
      spec: { type: 'service', lifecycle: 'experimental', owner: 'group:acme/payments' },
    })
    expect(await outcomeOf(await post(portal, WANTED))).toBe('409 already_exists')
  })

  test('goes on when the client leaves, at whatever event', async () => {
    await using portal = await openPortal()
    for (const [index, leaveAfter] of [0, 1, 3, 5, 7].entries()) {
      const appName = `left-${index}`
      const response = await post(portal, { ...WANTED, appName })
      const id = response.headers.get('x-run-id') ?? ''
      const events = eventsOf(response)
      for (let seen = 0; seen < leaveAfter; seen++) await events.next()
      await (leaveAfter === 0 ? response.body?.cancel() : events.return())
      const all = await allEvents(
        await portal.request(`/api/v1/scaffold/runs/${id}/events`, { as: 'dev' }),
      )
      expect(storyOf(all)).toStrictEqual(COMPLETE)
    }
  })

  test('twenty identical requests at once are one run, and all twenty hear of it', async () => {
    await using portal = await openPortal()
    await portal.signIn('dev')
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(portal, WANTED)))
    expect(new Set(responses.map(({ status }) => status))).toStrictEqual(new Set([200]))
    expect(new Set(responses.map(({ headers }) => headers.get('x-run-id'))).size).toBe(1)
    for (const response of responses) {
      expect(storyOf(await allEvents(response))).toStrictEqual(COMPLETE)
    }
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: { length: 1 } })
  })

  test('a different request for a name that is being made is refused', async () => {
    await using portal = await openPortal()
    await portal.signIn('dev')
    const { ...own } = portal.git
    const answered = Promise.withResolvers<void>()
    portal.git.createRepository = async (...args) => {
      await answered.promise
      return own.createRepository(...args)
    }
    const [first, second] = await Promise.all([
      post(portal, WANTED),
      post(portal, { ...WANTED, namespace: 'payments' }),
    ])
    answered.resolve()
    const refused = first.status === 409 ? first : second
    expect(await outcomeOf(refused)).toBe('409 already_exists')
    await allEvents(first.status === 409 ? second : first)
  })
})

const auditOfProject = (portal: TestPortal) => auditRows(portal, 'entity=refund-api')

const outcomesOf = (rows: readonly AuditedRow[]) =>
  rows.map(({ action, result, code }) => [action, result, code])

describe('the audit', () => {
  test('has one row for a project, with what was made and for whom', async () => {
    await using portal = await openPortal()
    const response = await post(portal, WANTED)
    const [begun] = await auditOfProject(portal)
    expect(['started', 'done']).toContain(begun?.result ?? '')
    await allEvents(response)
    expect(await auditOfProject(portal)).toMatchObject([
      {
        actor: { subject: 'dev' },
        action: 'scaffold.start',
        target: 'component/refund-api',
        team: 'payments',
        result: 'done',
        code: null,
        groups: ['payments'],
        details: {
          runId: response.headers.get('x-run-id'),
          template: 'service',
          repository: 'acme/refund-api',
          secretPath: 'payments/refund-api/dev/env',
          repoUrl: 'http://portal.test:8080/git/acme/refund-api.git',
          prNumber: 1,
        },
      },
    ])
    const lines = portal.logged.filter((line) => line.includes('"msg":"audit"'))
    expect(lines).toHaveLength(1)
  })

  test('has who was refused, and no row for an allowed preview', async () => {
    await using portal = await openPortal()
    expect((await post(portal, WANTED, { query: '?dryRun=true' })).status).toBe(200)
    await post(portal, WANTED, { as: 'outsider', query: '?dryRun=true' })
    await post(portal, WANTED, { as: 'outsider' })
    await post(portal, { ...WANTED, templateId: 'nothing' })
    expect(outcomesOf(await auditOfProject(portal))).toStrictEqual([
      ['scaffold.preview', 'denied', 'forbidden'],
      ['scaffold.start', 'denied', 'forbidden'],
      ['scaffold.start', 'denied', 'template_not_found'],
    ])
  })

  test('has a row for each try, and for who joined', async () => {
    const { openSecretStore, allow } = denyingStore()
    await using portal = await openPortal({ openSecretStore })
    const first = await post(portal, WANTED, { headers: { 'idempotency-key': 'k' } })
    const id = first.headers.get('x-run-id') ?? ''
    await allEvents(first)
    await post(portal, WANTED)
    await allEvents(await post(portal, WANTED, { headers: { 'idempotency-key': 'k' } }))
    allow()
    const retry = () => retryOf(portal, id)
    await allEvents(await retry())
    await retry()
    const rows = await auditOfProject(portal)
    expect(outcomesOf(rows)).toStrictEqual([
      ['scaffold.start', 'failed', 'secret_store_error'],
      ['scaffold.start', 'denied', 'already_exists'],
      ['scaffold.start', 'allowed', null],
      ['scaffold.retry', 'done', null],
      ['scaffold.retry', 'denied', 'run_not_retryable'],
    ])
    expect(rows.map(({ details }) => [details['step'], details['prNumber']])).toStrictEqual([
      ['create_secret', null],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 1],
      [undefined, undefined],
    ])
  })

  test('begins no run without its row', async () => {
    await using portal = await openPortal()
    const audit = portal.portal.audit as { decide: Audit['decide'] }
    const { decide } = audit
    audit.decide = (actor) => ({
      ...decide(actor),
      begin: async () => err({ kind: 'database_unavailable', reason: 'on demand' }),
    })
    expect(await outcomeOf(await post(portal, WANTED))).toBe('503 database_unavailable')
    const runs = await portal.request('/api/v1/scaffold/runs', { as: 'dev' })
    expect(await runs.json()).toStrictEqual([])
  })
})

describe('Idempotency-Key', () => {
  const key = (value: string) => ({ headers: { 'idempotency-key': value } })

  test('the same key and body is the same run, also when it has ended; another body is refused', async () => {
    await using portal = await openPortal()
    const first = await post(portal, WANTED, key('k-1'))
    await allEvents(first)
    const again = await post(portal, { ...WANTED, unknown: 1 }, key('k-1'))
    expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'))
    expect(storyOf(await allEvents(again))).toStrictEqual(COMPLETE)
    const other = await post(portal, { ...WANTED, appName: 'other' }, key('k-1'))
    expect(await outcomeOf(other)).toBe('422 idempotency_key_reused')
  })

  test('that joined a run is remembered with it', async () => {
    await using portal = await openPortal()
    await portal.signIn('dev')
    const [first, second] = await Promise.all([
      post(portal, WANTED),
      post(portal, WANTED, key('k-2')),
    ])
    await Promise.all([allEvents(first), allEvents(second)])
    const again = await post(portal, WANTED, key('k-2'))
    expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'))
    await allEvents(again)
  })

  test('is a person’s own, and no longer than a day', async () => {
    await using portal = await openPortal()
    await allEvents(await post(portal, WANTED, key('k-1')))
    const manager = await post(portal, WANTED, { as: 'manager', ...key('k-1') })
    expect(await outcomeOf(manager)).toBe('409 already_exists')
    portal.clock.advance(24 * 60 * 60_000 + 1)
    portal.forget('dev')
    expect(await outcomeOf(await post(portal, WANTED, key('k-1')))).toBe('409 already_exists')
  })

  test.each(['', 'a b', 'ü', 'x'.repeat(256)])('%p is refused', async (value) => {
    expect(await outcomeOf(await post(unchanged(), WANTED, key(value)))).toBe(
      '422 validation_failed',
    )
  })
})

/** For requests that change nothing. */
const unchanged = sharedPortal()

describe('what is refused before anything is made', () => {
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['nothing', {}, ['/appName', '/namespace', '/team', '/templateId']],
    ['no object', [], ['']],
    ['null', null, ['']],
    ['an upper-case name', { ...WANTED, appName: 'Refund' }, ['/appName']],
    ['a name of one letter', { ...WANTED, appName: 'r' }, ['/appName']],
    ['a name of 41 letters', { ...WANTED, appName: 'r'.repeat(41) }, ['/appName']],
    ['a name that ends with a dash', { ...WANTED, appName: 'refund-' }, ['/appName']],
    ['a name that climbs', { ...WANTED, appName: '../gitops' }, ['/appName']],
    ['a name with a line end', { ...WANTED, appName: 'refund\n' }, ['/appName']],
    ['a number for a name', { ...WANTED, appName: 7 }, ['/appName']],
    ['a namespace of the cluster', { ...WANTED, namespace: 'kube-system' }, ['/namespace']],
    ['the default namespace', { ...WANTED, namespace: 'default' }, ['/namespace']],
    ['a namespace of the platform', { ...WANTED, namespace: 'vault' }, ['/namespace']],
    ['a namespace with a dot', { ...WANTED, namespace: 'a.b' }, ['/namespace']],
    ['a long description', { ...WANTED, description: 'x'.repeat(501) }, ['/description']],
    ['a description of two lines', { ...WANTED, description: 'a\nb' }, ['/description']],
    [
      'a description that turns its direction',
      { ...WANTED, description: 'a\u202eb' },
      ['/description'],
    ],
    ['a lone surrogate', { ...WANTED, description: 'a\ud800b' }, ['/description']],
    ['a flag that is text', { ...WANTED, features: { database: 'yes' } }, ['/features/database']],
    [
      'everything at once',
      { templateId: '..', appName: 'A', team: '', namespace: 'default', description: 5 },
      ['/appName', '/appName', '/description', '/namespace', '/team', '/team', '/templateId'],
    ],
  ]
  test.each(cases)('%s', async (_, body, paths) => {
    const response = await post(unchanged(), body)
    expect(response.status).toBe(422)
    const problem = (await response.json()) as { errors: { path: string }[] }
    const found = problem.errors.map(({ path }) => path).toSorted()
    expect([...new Set(found)]).toStrictEqual([...new Set(paths)])
    expect(JSON.stringify(problem)).not.toContain('refund')
    await expectNothingMade(unchanged())
  })

  test('a namespace of another team, in a preview too, unless the platform team asks', async () => {
    await using portal = await openPortal({
      files: { 'catalog/eu.yaml': component('eu').replace('acme/payments', 'acme/payments-eu') },
      environment: { RESERVED_NAMESPACES: 'infra-*, *-shared' },
    })
    const taken = { ...WANTED, namespace: 'payments-eu-prod' }
    for (const query of ['', '?dryRun=true']) {
      const refused = await post(portal, taken, { query })
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        {
          code: 'namespace_taken',
          errors: [
            {
              path: '/namespace',
              rule: 'taken',
              message: expect.stringContaining('belongs to the team payments-eu:'),
            },
          ],
        },
      ])
    }
    const allowed = { as: 'platform', query: '?dryRun=true' } as const
    expect((await post(portal, taken, allowed)).status).toBe(200)
    for (const namespace of ['infra-dns', 'payments-shared']) {
      const reserved = await post(portal, { ...WANTED, namespace }, allowed)
      expect(await reserved.json()).toMatchObject({
        errors: [{ path: '/namespace', rule: 'reserved' }],
      })
    }
    expect(await auditOfProject(portal)).toMatchObject(
      ['scaffold.start', 'scaffold.preview'].map((action) => ({
        action,
        result: 'denied',
        code: 'namespace_taken',
      })),
    )
  })

  test('names that leave no room for an environment', async () => {
    await using portal = await openPortal()
    const body = { ...WANTED, team: 'a'.repeat(26), appName: 'b'.repeat(26) }
    const response = await post(portal, body, { as: 'platform' })
    expect(await response.json()).toMatchObject({ errors: [{ path: '/appName' }] })
    const fits = await post(portal, { ...body, appName: 'b'.repeat(25) }, { as: 'platform' })
    expect(fits.status).toBe(200)
    await allEvents(fits)
  })

  test('names that leave no room for the longest environment of the setting', async () => {
    const ENVIRONMENTS = 'dev:development:member,preproduction-euro:production:manager'
    await using portal = await openPortal({ environment: { ENVIRONMENTS } })
    const body = { ...WANTED, team: 'a'.repeat(22), appName: 'b'.repeat(22) }
    const response = await post(portal, body, { as: 'platform' })
    expect(await response.json()).toMatchObject({
      errors: [
        {
          path: '/appName',
          message: 'must leave room: team and appName may have at most 43 characters together',
        },
      ],
    })
  })

  test('a team that is not the caller’s', async () => {
    await using portal = await openPortal()
    const refused = await post(portal, WANTED, { as: 'outsider' })
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({
      code: 'forbidden',
      required: ['platform-team', 'payments', 'payments:Managers'],
    })
    const dry = await post(portal, WANTED, { as: 'outsider', query: '?dryRun=true' })
    expect(dry.status).toBe(403)
    for (const as of ['manager', 'platform'] as const) {
      const allowed = await post(portal, { ...WANTED, appName: `by-${as}` }, { as })
      expect(storyOf(await allEvents(allowed)).at(-1)).toBe('done')
    }
  })

  test('a template that is not there, and a feature that it has not', async () => {
    await using portal = await openPortal({
      templates: {
        'templates/site/template.yaml': template('site', {
          features: {
            database: { supported: false, default: false },
            externalSecrets: { supported: true, default: false },
            ingress: { supported: true, default: true },
          },
        }),
        'templates/site/skeleton/index.html': '<p>',
      },
    })
    expect(await outcomeOf(await post(portal, WANTED))).toBe('404 template_not_found')
    const database = { ...WANTED, templateId: 'site', features: { database: true } }
    const more = await post(
      portal,
      { ...database, namespace: 'default' },
      { headers: { 'idempotency-key': 'a b' }, query: '?dryRun=x' },
    )
    const { errors } = (await more.json()) as { errors: { path: string }[] }
    expect([...new Set(errors.map((error) => error.path))]).toStrictEqual([
      '/query/dryRun',
      '/headers/idempotency-key',
      '/namespace',
      '/features/database',
    ])
    expect(await (await post(portal, database)).json()).toMatchObject({
      status: 422,
      errors: [{ path: '/features/database' }],
    })
  })

  test.each([
    ['catalog', { 'catalog/shipping/components/x.yaml': component('refund-api') }],
    ['catalog', { 'catalog/payments/components/refund-api.yaml': 'broken: [' }],
    ['apps', { 'apps/payments/refund-api/notes.md': 'hello' }],
  ])('a name that is taken: %s', async (where, files) => {
    await using portal = await openPortal({ files: { 'README.md': 'x', ...files } })
    const response = await post(portal, WANTED)
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ code: 'already_exists', where: [where] })
  })

  test.each([
    [
      'its folder',
      async (portal: TestPortal) => portal.commit({ 'apps/payments-refund/api/x': 'x' }),
    ],
    [
      'its proposal',
      (portal: TestPortal) =>
        Bun.$`git --git-dir=${portal.repository} branch scaffold/payments-refund/api main`.quiet(),
    ],
  ])('an application whose objects have the same names: %s', async (_, make) => {
    await using portal = await openPortal()
    await make(portal)
    const refused = await post(portal, WANTED)
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { code: 'already_exists', where: ['object_name'] },
    ])
  })

  test.each(['scaffold', 'scaffold/payments', 'scaffold/payments/refund-api/x'])(
    'the branch %s, beside which git has no room for ours',
    async (branch) => {
      await using portal = await openPortal()
      await Bun.$`git --git-dir=${portal.repository} branch ${branch} main`.quiet()
      for (const query of ['', '?dryRun=true']) {
        const refused = await post(portal, WANTED, { query })
        expect([refused.status, await refused.json()]).toMatchObject([
          409,
          { code: 'branch_blocked', detail: expect.stringContaining(`the branch ${branch}:`) },
        ])
      }
      await expectNothingMade(portal)
    },
  )

  test('a repository or a branch of the name', async () => {
    await using portal = await openPortal()
    const repository = parseRepositoryId('acme/refund-api')
    if (repository === undefined) throw new Error('a name')
    await portal.git.createRepository(repository, {
      description: '',
      team: TeamName.of('platform'),
      marker: 'somebody else',
      files: [{ kind: 'write', path: path('README.md'), bytes: new Uint8Array(1) }],
      message: 'First',
      author: { name: 'A', email: 'a@a.example' },
    })
    await Bun.$`git --git-dir=${portal.repository} branch scaffold/payments/refund-api main`.quiet()
    expect(await (await post(portal, WANTED)).json()).toMatchObject({
      code: 'already_exists',
      where: ['git_host', 'pull_request'],
    })
  })
})

describe('a run that fails', () => {
  test('says why and what there is, and a retry finishes it', async () => {
    const { openSecretStore, allow } = denyingStore()
    await using portal = await openPortal({ openSecretStore })
    const { id, events } = await runOf(portal)
    expect(storyOf(events).slice(-2)).toStrictEqual(['create_secret failed', 'failed'])
    expectEventsDocumented('scaffold', events)
    expect(events.at(-1)?.data).toStrictEqual({
      runId: id,
      step: 'create_secret',
      code: 'secret_store_error',
      message:
        'The secret store does not allow this to the portal; its operators find the reason in the log',
      retryable: true,
      repoUrl: 'http://portal.test:8080/git/acme/refund-api.git',
      prUrl: null,
    })
    const run = await portal.request(`/api/v1/scaffold/runs/${id}`, { as: 'dev' })
    expect(await run.json()).toMatchObject({
      status: 'failed',
      failure: { code: 'secret_store_error' },
    })

    const again = await post(portal, WANTED)
    expect(await again.json()).toMatchObject({ code: 'already_exists', runId: id })

    allow()
    const retry = (as: Person) => retryOf(portal, id, as)
    expect((await retry('outsider')).status).toBe(404)
    const retried = await allEvents(await retry('dev'))
    // The first end is not the end any more.
    expect(storyOf(retried)).toStrictEqual([
      ...COMPLETE.slice(0, 5),
      'create_secret failed',
      ...COMPLETE.slice(4),
    ])
    expect(await outcomeOf(await retry('dev'))).toBe('409 run_not_retryable')
  })

  test('because the name was taken in between cannot be retried', async () => {
    await using portal = await openPortal()
    const host = { ...portal.git }
    portal.git.createRepository = async (repository, request) => {
      await host.createRepository(repository, { ...request, marker: 'somebody else' })
      return host.createRepository(repository, request)
    }
    const { id, events } = await runOf(portal)
    expect(events.at(-1)).toMatchObject({
      event: 'failed',
      data: { step: 'create_repo', code: 'already_exists', retryable: false, repoUrl: null },
    })
    expect(await outcomeOf(await retryOf(portal, id))).toBe('409 run_not_retryable')
  })
})

describe('what happens between two tries', () => {
  /** A run that failed at the secret store, which is mended by then. */
  async function failedOnce(more: Parameters<typeof openPortal>[0] = {}) {
    const { openSecretStore, allow } = denyingStore()
    const portal = await openPortal({ ...more, openSecretStore })
    const { id } = await runOf(portal)
    allow()
    return { portal, id }
  }
  const retry = async ({ portal, id }: Awaited<ReturnType<typeof failedOnce>>) =>
    (await allEvents(await retryOf(portal, id))).at(-1)

  test('a branch with our files and more is not taken for ours', async () => {
    const failed = await failedOnce()
    await using portal = failed.portal
    const dry = await post(portal, { ...WANTED, appName: 'other' }, { query: '?dryRun=true' })
    const { files } = (await dry.json()) as { files: { path: string; content: string }[] }
    const ours = files.map((file) => [
      file.path.replace('other', 'refund-api'),
      file.content.replaceAll('other', 'refund-api'),
    ])
    const more = { ...Object.fromEntries(ours), 'apps/shipping/evil.yaml': 'x' } as ChangedFiles
    const branch = 'scaffold/payments/refund-api'
    valueOf(await commitFiles(portal.git, GITOPS, more, { branch }))
    expect(await retry(failed)).toMatchObject({
      event: 'failed',
      data: { step: 'open_gitops_pr', code: 'already_exists', retryable: false },
    })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  })

  test.each([
    'apps/payments/refund-api/base/kustomization.yaml',
    'catalog/payments/components/refund-api.yaml',
    // Objects of this application have the same names.
    'apps/payments-refund/api/base/kustomization.yaml',
  ])('what somebody else put at %s stops it, and stays', async (file) => {
    const failed = await failedOnce()
    await using portal = failed.portal
    await portal.commit({ [file]: 'mine' })
    expect(await retry(failed)).toMatchObject({ data: { code: 'already_exists' } })
  })

  test('a repository that was removed ends the run', async () => {
    const failed = await failedOnce()
    await using portal = failed.portal
    await Bun.$`rm -r ${join(portal.directory, 'acme/refund-api.git')}`
    expect(await retry(failed)).toMatchObject({ data: { code: 'repository_gone' } })
  })

  test('a branch that an earlier try made is found, and a pull request that was closed stays closed', async () => {
    await using portal = await openPortal()
    const host = { ...portal.git }
    portal.git.openPullRequest = async () => err({ kind: 'git_denied', what: 'pull requests' })
    const { id, events } = await runOf(portal)
    expect(events.at(-1)).toMatchObject({ data: { code: 'git_host_error' } })
    await portal.commit({ 'README.md': 'the default branch moves on' })
    portal.git.openPullRequest = async (...args) => {
      const opened = await host.openPullRequest(...args)
      await portal.closePull(1)
      return opened.ok ? err({ kind: 'git_denied', what: 'pull requests' }) : opened
    }
    expect(await retry({ portal, id })).toMatchObject({ data: { code: 'git_host_error' } })
    expect(await retry({ portal, id })).toMatchObject({
      data: { code: 'pr_closed', retryable: false },
    })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: { length: 1 } })
  })

  test('a closed duplicate of an open pull request is not taken for it', async () => {
    await using portal = await openPortal()
    const host = { ...portal.git }
    portal.git.openPullRequest = async (...args) => {
      const opened = await host.openPullRequest(...args)
      return opened.ok ? err({ kind: 'git_denied', what: 'pull requests' }) : opened
    }
    portal.git.findPullRequests = async (...args) => {
      const found = await host.findPullRequests(...args)
      const duplicates = (pulls: readonly PullRequest[]) =>
        pulls.map((pull) => ({ ...pull, number: 2, state: 'closed' as const }))
      return found.ok ? ok([...duplicates(found.value), ...found.value]) : found
    }
    const { id, events } = await runOf(portal)
    expect(events.at(-1)).toMatchObject({ data: { code: 'git_host_error' } })
    expect(await retry({ portal, id })).toMatchObject({ event: 'done', data: { prNumber: 1 } })
  })

  test('a pull request of somebody else from our branch is not taken for ours', async () => {
    await using portal = await openPortal()
    const host = { ...portal.git }
    portal.git.openPullRequest = async (repository, request) => {
      await host.openPullRequest(repository, { ...request, body: 'theirs' })
      return host.openPullRequest(repository, request)
    }
    expect((await allEvents(await post(portal, WANTED))).at(-1)).toMatchObject({
      event: 'failed',
      data: { step: 'open_gitops_pr', code: 'already_exists' },
    })
  })

  test('who is not in the team any more does not go on', async () => {
    const failed = await failedOnce()
    await using portal = failed.portal
    portal.provider.groups.dev = ['shipping']
    portal.forget('dev')
    expect(await outcomeOf(await retryOf(portal, failed.id))).toBe('403 forbidden')
  })
})

describe('a template that cannot be rendered', () => {
  const kustomization = 'resources: [xtenant-app.yaml]\n'
  const broken: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['a file that is too large', { 'skeleton/large': 'x'.repeat(1024 * 1024 + 1) }],
    [
      'files that grow too large',
      Object.fromEntries(
        Array.from({ length: 3 }, (_, index) => [
          `skeleton/${index}`,
          '{{values.description}}'.repeat(10_000),
        ]),
      ),
    ],
    [
      'a file and a folder of one name',
      { 'skeleton/{{ values.appName }}': 'a', 'skeleton/refund-api/b': 'b' },
    ],
    ['a name that is not safe', { 'skeleton/.{{ values.appName }}/config': 'a' }],
    ['a manifest that is no YAML', { 'gitops/kustomization.yaml': 'not: [yaml' }],
    [
      'a manifest from elsewhere',
      { 'gitops/kustomization.yaml': 'resources: [https://evil.example/x]' },
    ],
    ['a chart', { 'gitops/kustomization.yaml': `${kustomization}helmCharts: [{name: x}]` }],
  ]
  test.each(broken)('%s: refused before anything is made', async (_, files) => {
    await using portal = await openPortal({
      templates: {
        'templates/service/template.yaml': template('service'),
        'templates/service/skeleton/README.md': 'x',
        ...Object.fromEntries(
          Object.entries(files).map(([name, content]) => [`templates/service/${name}`, content]),
        ),
      },
    })
    const appName =
      files['skeleton/.{{ values.appName }}/config'] === undefined ? 'refund-api' : 'git'
    const wish = { ...WANTED, appName, description: 'd'.repeat(500) }
    for (const query of ['', '?dryRun=true']) {
      expect(await outcomeOf(await post(portal, wish, { query }))).toBe('409 template_broken')
    }
    await expectNothingMade(portal)
  })

  test('its own base takes the place of the built-in one, with the features in it', async () => {
    await using portal = await openPortal({
      templates: {
        'templates/service/template.yaml': template('service'),
        'templates/service/skeleton/README.md': 'x',
        'templates/service/gitops/kustomization.yaml': kustomization,
        'templates/service/gitops/xtenant-app.yaml': 'database: {{ values.databaseEnabled }}\n',
      },
    })
    await runOf(portal, { ...WANTED, features: { database: true } })
    const base = 'apps/payments/refund-api/base/xtenant-app.yaml'
    expect(await fileAt(portal, 'acme/gitops', base, 'scaffold/payments/refund-api')).toBe(
      'database: true\n',
    )
  })

  test('a folder that is a symbolic link is reported', async () => {
    await using portal = await openPortal()
    const bare = join(portal.directory, 'acme/templates.git')
    const blob = (
      await Bun.$`printf service | git --git-dir=${bare} hash-object -w --stdin`.text()
    ).trim()
    await Bun.$`git --git-dir=${bare} read-tree main && git --git-dir=${bare} update-index --add --cacheinfo 120000,${blob},templates/linked && git --git-dir=${bare} update-ref refs/heads/main $(git --git-dir=${bare} -c user.name=T -c user.email=t@t.example commit-tree -p main -m link $(git --git-dir=${bare} write-tree))`.quiet()
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toMatchObject([{ ref: 'template/linked' }])
  })
})

test('runs come in pages, and the link leads through all of them', async () => {
  await using portal = await openPortal()
  const made: string[] = []
  for (const appName of ['one', 'two', 'three']) {
    made.unshift((await runOf(portal, { ...WANTED, appName: `app-${appName}` })).id)
  }
  const seen: string[] = []
  let next: string | undefined = '/api/v1/scaffold/runs?limit=2&team=payments&unknown=1'
  const links: string[] = []
  while (next !== undefined) {
    links.push(next)
    const page = await portal.request(next, { as: 'dev' })
    seen.push(...((await page.json()) as { id: string }[]).map(({ id }) => id))
    next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toStrictEqual(made)
  expect(links.slice(1)).toStrictEqual([
    `/api/v1/scaffold/runs?team=payments&limit=2&before=${made[1]}`,
  ])
})

describe('runs', () => {
  test('are seen by who asked for them and by the platform team', async () => {
    await using portal = await openPortal()
    const { id } = await runOf(portal)
    const get = (suffix: string, as: Person) =>
      portal.request(`/api/v1/scaffold/runs${suffix}`, { as })
    const ids = async (suffix: string, as: Person) =>
      ((await (await get(suffix, as)).json()) as { id: string }[]).map((run) => run.id)

    expect(await ids('', 'dev')).toStrictEqual([id])
    expect(await ids('', 'platform')).toStrictEqual([id])
    expect(await ids('', 'manager')).toStrictEqual([])
    expect(await ids('?team=payments', 'platform')).toStrictEqual([id])
    expect(await ids('?team=shipping', 'platform')).toStrictEqual([])
    expect((await get(`/${id}`, 'platform')).status).toBe(200)
    for (const suffix of [`/${id}`, `/${id}/events`]) {
      const foreign = await get(suffix, 'manager')
      expect(await outcomeOf(foreign)).toBe('404 run_not_found')
    }
    expect(await (await get(`/${id}`, 'dev')).json()).toMatchObject({
      id,
      status: 'complete',
      templateId: 'service',
      appName: 'refund-api',
      createdBy: { subject: 'dev', name: 'dev' },
      prNumber: 1,
      failure: null,
      steps: [{ step: 'create_repo' }, {}, {}, { step: 'open_gitops_pr', status: 'complete' }],
    })
  })

  test('are followed from where one left off', async () => {
    await using portal = await openPortal()
    const { id } = await runOf(portal)
    const follow = async (suffix: string, headers: Record<string, string> = {}) =>
      storyOf(
        await allEvents(
          await portal.request(`/api/v1/scaffold/runs/${id}/events${suffix}`, {
            as: 'dev',
            headers,
          }),
        ),
      )
    expect(await follow('')).toStrictEqual(COMPLETE)
    expect(await follow('?after=7')).toStrictEqual(COMPLETE.slice(7))
    expect(await follow('?after=2', { 'last-event-id': '8' })).toStrictEqual(['done'])
    expect(await follow('', { 'last-event-id': '9' })).toStrictEqual([])
    expect(await follow('', { 'last-event-id': 'x' })).toStrictEqual(COMPLETE)
  })

  test('HEAD of the events of one that goes on does not wait for its end', async () => {
    await using portal = await openPortal()
    const held = Promise.withResolvers<void>()
    const host = { ...portal.git }
    Object.assign(portal.git, {
      async createRepository(...asked: Parameters<GitHost['createRepository']>) {
        await held.promise
        return host.createRepository(...asked)
      },
    })
    const response = await post(portal, WANTED)
    const id = response.headers.get('x-run-id') ?? ''
    const at = `/api/v1/scaffold/runs/${id}`
    const head = await portal.request(`${at}/events`, { as: 'dev', method: 'HEAD' })
    expect([head.status, await head.text()]).toStrictEqual([200, ''])
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'x-run-id': id,
      location: at,
    })
    held.resolve()
    expect(storyOf(await allEvents(response))).toStrictEqual(COMPLETE)
  })

  test.each(['x', '..', '%2e%2e', '01936b2e-7b1a-4c55-8d0e-5a3f0f6f2a11'])(
    'the id %s is none',
    async (id) => {
      const { status } = await unchanged().request(`/api/v1/scaffold/runs/${id}`, { as: 'dev' })
      expect(status).toBe(id.includes('e%2e') || id === '..' ? 404 : 422)
    },
  )
})

test('a person has a hundred open streams of runs, and with none free a request begins nothing', async () => {
  await using portal = await openPortal()
  const stalled = Promise.withResolvers<Awaited<ReturnType<GitHost['createRepository']>>>()
  portal.git.createRepository = () => stalled.promise
  const first = await post(portal, WANTED)
  const url = `/api/v1/scaffold/runs/${first.headers.get('x-run-id')}`
  const open = () => portal.request(`${url}/events`, { as: 'dev' })
  const others = await Promise.all(Array.from({ length: 99 }, open))
  const refused = [
    await open(),
    await post(portal, { ...WANTED, appName: 'other-api' }),
    await portal.request(`${url}/retry`, { method: 'POST', as: 'dev' }),
  ]
  for (const response of refused) expect(await outcomeOf(response)).toBe('429 rate_limited')
  const runs = await portal.request('/api/v1/scaffold/runs', { as: 'dev' })
  expect(await runs.json()).toHaveLength(1)
  const following = await post(
    portal,
    { ...WANTED, appName: 'other-api' },
    { headers: { prefer: 'respond-async' } },
  )
  expect(following.status).toBe(202)
  await first.body?.cancel()
  const freed = await open()
  expect(freed.status).toBe(200)
  for (const { body } of [freed, ...others]) await body?.cancel()
  stalled.resolve(err({ kind: 'git_host_unreachable' }))
})

describe('the dry run', () => {
  test('shows byte for byte what would be made, and makes nothing', async () => {
    await using portal = await openPortal()
    const dry = await post(portal, WANTED, { query: '?dryRun=true' })
    const preview = (await dry.json()) as {
      files: { target: string; path: string; content: string }[]
      checks: object[]
    }
    expect(preview.checks).toMatchObject([{ check: 'name_free', ok: true }, { ok: true }])
    await expectNothingMade(portal)
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })

    await runOf(portal)
    for (const { target, path: file, content } of preview.files) {
      const made =
        target === 'repo'
          ? await fileAt(portal, 'acme/refund-api', file)
          : await fileAt(portal, 'acme/gitops', file, 'scaffold/payments/refund-api')
      expect(made).toBe(content)
    }
    expect(preview.files).toHaveLength(6)
    const taken = await post(portal, WANTED, { query: '?dryRun=true' })
    expect(await taken.json()).toMatchObject({ checks: [{ check: 'name_free', ok: false }, {}] })
  })
})

describe('the owners of a new repository', () => {
  const environment = { REPOSITORY_CODEOWNERS: '* @{org}/{team}' }

  test('are those of the setting, in the dry run too', async () => {
    await using portal = await openPortal({ environment })
    const dry = await post(portal, WANTED, { query: '?dryRun=true' })
    const file = { target: 'repo', path: 'CODEOWNERS', content: '* @acme/payments\n' }
    expect(await dry.json()).toMatchObject({
      files: expect.arrayContaining([expect.objectContaining(file)]),
    })
    await runOf(portal)
    expect(await fileAt(portal, 'acme/refund-api', 'CODEOWNERS')).toBe('* @acme/payments\n')
  })
})

describe('templates', () => {
  test('a broken one is reported, and breaks nothing else', async () => {
    await using portal = await openPortal()
    await portal.commit(
      {
        'templates/broken/template.yaml': 'id: broken\ntitle: [\n',
        'templates/empty/template.yaml': template('empty'),
        'templates/other/template.yaml': template('another'),
        'templates/other/skeleton/a': 'a',
        'templates/typo/template.yaml': template('typo', { titel: 'x' }),
        'templates/typo/skeleton/a': 'a',
      },
      TEMPLATES,
    )
    const list = await portal.request('/api/v1/scaffold/templates', { as: 'dev' })
    expect(await list.json()).toMatchObject([{ id: 'service', version: '1.0.0' }])
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toMatchObject([
      { code: 'template_invalid', path: 'templates/broken/template.yaml', ref: 'template/broken' },
      { ref: 'template/empty', message: 'skeleton/ has no files' },
      { ref: 'template/other', line: 1 },
      { ref: 'template/typo' },
    ])
  })

  test('a run keeps to the commit that its template was listed at', async () => {
    await using portal = await openPortal()
    const list = (await (
      await portal.request('/api/v1/scaffold/templates', { as: 'dev' })
    ).json()) as { revision: string }[]
    await portal.commit({ 'templates/service/skeleton/README.md': 'new' }, TEMPLATES)
    const dry = await post(portal, WANTED, { query: '?dryRun=true' })
    const { files } = (await dry.json()) as { files: { path: string; content: string }[] }
    expect(files.find((file) => file.path === 'README.md')?.content).toBe(
      '# refund-api\n\nGives money back\n',
    )
    expect(list[0]?.revision).toMatch(/^[0-9a-f]{40}$/)
    portal.clock.advance(60_000)
    const later = await post(portal, WANTED, { query: '?dryRun=true' })
    expect(await later.text()).toContain('"content":"new"')
  })
})

test('what was submitted is in no log', async () => {
  await using portal = await openPortal()
  await runOf(portal, { ...WANTED, description: 'canary-description' })
  expect(portal.logged.join('\n')).toContain('run_ended')
  expect(portal.logged.join('\n')).not.toContain('canary-description')
})
