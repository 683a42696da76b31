import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { BranchName } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { kubectl, kustomize } from '#tests/support/kustomize.ts'
import { GITOPS, openPortal, path, type Person, type TestPortal } from '#tests/support/portal.ts'

const BASE = '/api/v1/catalog/entities/component/shop/promotion'

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function ask(
  portal: TestPortal,
  method: 'GET' | 'POST',
  suffix: string,
  as: Person,
  body?: unknown,
): Promise<Answer> {
  const response = await portal.request(`${BASE}${suffix}`, {
    method,
    as,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const state = (portal: TestPortal, as: Person = 'dev') => ask(portal, 'GET', '', as)
const promote = (
  portal: TestPortal,
  targetLifecycle: string,
  overlayConfig: object = {},
  as: Person = 'platform',
  query = '',
) => ask(portal, 'POST', query, as, { targetLifecycle, overlayConfig })
const confirm = (portal: TestPortal, as: Person = 'platform', body?: unknown) =>
  ask(portal, 'POST', '/confirm', as, body)

const pullOf = ({ body }: Answer) => body['pullRequest'] as { number: number; state: string }

const git = (portal: TestPortal, ...args: readonly string[]) =>
  Bun.$`git --git-dir=${portal.repository} ${args}`.quiet().text()
const fileAt = (portal: TestPortal, file: string, ref = 'main') =>
  git(portal, 'show', `${ref}:${file}`)
const OVERLAY = 'apps/payments/shop/overlays'
const ENTITY = 'catalog/payments/components/shop.yaml'

const openShop = (facts: Parameters<typeof applicationFiles>[0] = {}) =>
  openPortal({ files: applicationFiles(facts) })

describe('the way from experimental to production', () => {
  test('each step proposed, pending, merged, confirmed; each by who may', async () => {
    await using portal = await openShop()
    const steps = [
      ['development', 'dev', 'dev'],
      ['staging', 'staging', 'manager'],
      ['production', 'production', 'platform'],
    ] as const
    let previous = 'experimental'
    for (const [index, [lifecycle, environment, as]] of steps.entries()) {
      const number = index + 1
      const tag = environment === 'dev' ? { image: { tag: '1.10' } } : {}
      const proposed = await promote(portal, lifecycle, { replicas: number, ...tag }, as)
      expect(proposed).toMatchObject({
        status: 201,
        body: {
          status: 'pr_open',
          created: true,
          updated: false,
          environment,
          targetLifecycle: lifecycle,
          pullRequest: {
            number,
            title: `[Promote] payments/shop → ${environment}`,
            state: 'open',
          },
          branch: `promote/payments/shop/${environment}`,
          files: [
            `${OVERLAY}/${environment}/kustomization.yaml`,
            `${OVERLAY}/${environment}/image-transformer.yaml`,
            `${OVERLAY}/${environment}/patch-xtenant-app.yaml`,
          ],
          image: {
            name: 'ghcr.io/acme/shop',
            tag: '1.10',
            carriedFrom: [null, 'dev', 'staging'][index] ?? null,
          },
        },
      })
      const pending = (await state(portal)).body
      expect(pending['confirm']).toStrictEqual({
        available: false,
        targetLifecycle: lifecycle,
        reason: `PR #${number} pending`,
        pullRequest: number,
      })
      expect(await confirm(portal)).toMatchObject({
        status: 409,
        body: { code: 'pr_pending', detail: `PR #${number} pending` },
      })
      await portal.merge(number)
      expect((await state(portal)).body).toMatchObject({
        lifecycle: previous,
        confirm: { available: true, targetLifecycle: lifecycle },
        drift: [{ code: 'lifecycle_behind_overlay', environment }],
      })
      const before = await fileAt(portal, ENTITY)
      const confirmed = await confirm(portal, as)
      expect(confirmed).toMatchObject({
        status: 200,
        body: {
          status: 'confirmed',
          previousLifecycle: previous,
          lifecycle,
          promotion: { lifecycle, drift: [] },
        },
      })
      expect(await fileAt(portal, ENTITY)).toBe(
        before.replace(`lifecycle: ${previous} `, `lifecycle: ${lifecycle} `),
      )
      const entity = await portal.request('/api/v1/catalog/entities/component/shop', { as: 'dev' })
      expect(await entity.json()).toMatchObject({ spec: { lifecycle } })
      expect(await confirm(portal, as)).toMatchObject({ body: { status: 'already_confirmed' } })
      previous = lifecycle
    }
    expect((await state(portal)).body).toMatchObject({
      imageTags: { dev: '1.10', staging: '1.10', production: '1.10' },
      environments: [{ state: 'live' }, { state: 'live' }, { state: 'live' }],
      next: null,
      confirm: { available: false },
    })
  })

  test('an overlay that came there otherwise is confirmed without a pull request', async () => {
    await using portal = await openPortal({
      files: {
        ...applicationFiles(),
        [`${OVERLAY}/dev/kustomization.yaml`]: 'resources: [../../base]\n',
      },
    })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 200,
      body: { status: 'ready_to_confirm', created: false, pullRequest: null },
    })
    expect(await confirm(portal, 'dev')).toMatchObject({ body: { lifecycle: 'development' } })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  })

  test('an overlay that is there is shown as it is, and what was asked for besides is not lost in silence', async () => {
    await using portal = await openPortal({
      files: {
        ...applicationFiles(),
        [`${OVERLAY}/dev/kustomization.yml`]:
          'resources: [../../base]\nimages: [{name: ghcr.io/acme/shop, newTag: 7.7.7}]\n',
      },
    })
    const wish = { replicas: 2, secrets: { LOST: 'canary' } }
    const expected = {
      status: 200,
      body: {
        status: 'ready_to_confirm',
        files: [],
        secrets: null,
        image: { tag: '7.7.7' },
        warnings: [{ code: 'overlay_unchanged' }],
      },
    }
    expect(await promote(portal, 'development', wish, 'dev', '?dryRun=true')).toMatchObject(
      expected,
    )
    expect(await promote(portal, 'development', wish, 'dev')).toMatchObject(expected)
    expect(await readdir(portal.directory)).not.toContain('secrets')
  })

  test('prod/ is read as production', async () => {
    await using portal = await openPortal({
      files: {
        ...applicationFiles({ lifecycle: 'staging' }),
        [`${OVERLAY}/prod/kustomization.yaml`]:
          'resources: [../../base]\nimages:\n  - {name: ghcr.io/acme/shop, newTag: 12345e7}\n',
        [`${OVERLAY}/dev/kustomization.yaml`]:
          'resources: [../../base]\nimages: [{name: ghcr.io/acme/shop, newTag: 0777}]\n',
      },
    })
    expect((await state(portal)).body).toMatchObject({
      imageTags: { dev: '0777', staging: null, production: '12345e7' },
      confirm: { available: true, targetLifecycle: 'production' },
      drift: [
        { code: 'lifecycle_ahead_of_overlay', environment: 'staging' },
        { code: 'lifecycle_behind_overlay', environment: 'production' },
      ],
    })
  })
})

describe('asking again', () => {
  test('finds the same pull request, and updates it when something changed', async () => {
    await using portal = await openShop()
    const first = await promote(portal, 'development', { replicas: 1 })
    const again = await promote(portal, 'development', { replicas: 1 })
    expect(again).toMatchObject({
      status: 200,
      body: {
        created: false,
        updated: false,
        pullRequest: { number: 1 },
        commit: first.body['commit'],
      },
    })
    const changed = await promote(portal, 'development', { replicas: 2 })
    expect(changed).toMatchObject({
      status: 200,
      body: { created: false, updated: true, pullRequest: { number: 1 } },
    })
    expect(changed.body['commit']).not.toBe(first.body['commit'])
    const patch = `${OVERLAY}/dev/patch-xtenant-app.yaml`
    expect(await fileAt(portal, patch, 'promote/payments/shop/dev')).toContain('replicas: 2')
  })

  test('an update leaves the tag that somebody else wrote', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' } })
    const branch = BranchName.of('promote/payments/shop/dev')
    const head = await portal.git.head(GITOPS, branch)
    if (!head.ok) throw new Error(head.error.kind)
    const kustomization = `${OVERLAY}/dev/kustomization.yaml`
    const text = await fileAt(portal, kustomization, branch)
    await portal.git.commit(GITOPS, {
      branch,
      from: { kind: 'advance', expected: head.value.commit },
      changes: [
        {
          kind: 'write',
          path: path(kustomization),
          bytes: new TextEncoder().encode(text.replace('1.0.0', '1.0.1')),
        },
      ],
      message: 'Tag',
      author: { name: 'CI', email: 'ci@acme.example' },
    })
    const updated = await promote(portal, 'development', { replicas: 5 })
    expect(updated.body).toMatchObject({ updated: true, image: { tag: '1.0.1' } })
    expect(await fileAt(portal, kustomization, branch)).toContain('newTag: 1.0.1')
    const tagged = await promote(portal, 'development', { replicas: 5, image: { tag: '2.0.0' } })
    expect(tagged.body).toMatchObject({ updated: true, image: { tag: '2.0.0' } })
  })

  test('twenty at once make one pull request', async () => {
    await using portal = await openShop()
    await portal.signIn('platform')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        promote(portal, 'development', { replicas: index % 2 }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([
      ...Array<number>(19).fill(200),
      201,
    ])
    expect(new Set(answers.map((answer) => pullOf(answer).number))).toStrictEqual(new Set([1]))
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: { length: 1 } })
  }, 30_000)

  test('twenty confirmations at once make one commit', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    const before = Number(await git(portal, 'rev-list', '--count', 'main'))
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(portal)))
    const statuses = answers.map(({ body }) => String(body['status'])).toSorted()
    expect(new Set(statuses)).toStrictEqual(new Set(['already_confirmed', 'confirmed']))
    expect(statuses.filter((status) => status === 'confirmed')).toHaveLength(1)
    expect(Number(await git(portal, 'rev-list', '--count', 'main'))).toBe(before + 1)
  }, 30_000)

  test('a closed pull request does not block the next', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.closePull(1)
    expect((await state(portal)).body).toMatchObject({
      environments: [{ state: 'pr_closed', pullRequest: 1 }, {}, {}],
      confirm: { available: false, reason: 'PR #1 was closed' },
    })
    expect(await confirm(portal)).toMatchObject({ status: 409, body: { code: 'pr_closed' } })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { pullRequest: { number: 2 }, branch: 'promote/payments/shop/dev.2' },
    })
  })

  test('an overlay that was removed after it was merged is proposed anew', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    await portal.commit(
      Object.fromEntries(
        ['kustomization', 'image-transformer', 'patch-xtenant-app'].map((name) => [
          `${OVERLAY}/dev/${name}.yaml`,
          null,
        ]),
      ),
    )
    expect(await confirm(portal)).toMatchObject({ status: 409, body: { code: 'overlay_missing' } })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { pullRequest: { number: 2 } },
    })
  })

  test('a branch of that name by somebody else stays as it is', async () => {
    await using portal = await openShop()
    const branch = BranchName.of('promote/payments/shop/dev')
    const head = await portal.git.head(GITOPS)
    if (!head.ok) throw new Error(head.error.kind)
    await portal.git.commit(GITOPS, {
      branch,
      from: { kind: 'create', parent: head.value.commit },
      changes: [{ kind: 'write', path: path('evil.yaml'), bytes: new Uint8Array([1]) }],
      message: 'Smuggle',
      author: { name: 'E', email: 'e@e.example' },
    })
    const proposed = await promote(portal, 'development')
    expect(proposed.body['branch']).toBe('promote/payments/shop/dev.2')
    const foreign = await portal.git.openPullRequest(GITOPS, {
      head: branch,
      base: head.value.branch,
      title: '[Promote] payments/shop → dev',
      body: 'Looks like ours',
      author: { name: 'E', email: 'e@e.example' },
    })
    expect(foreign.ok).toBe(true)
    expect((await state(portal)).body['pullRequests']).toHaveLength(1)
    expect(pullOf(await promote(portal, 'development')).number).toBe(1)
  })

  test('a branch that somebody planted does not decide what is proposed', async () => {
    await using portal = await openShop()
    const branch = BranchName.of('promote/payments/shop/dev')
    const head = await portal.git.head(GITOPS)
    if (!head.ok) throw new Error(head.error.kind)
    await portal.git.commit(GITOPS, {
      branch,
      from: { kind: 'create', parent: head.value.commit },
      changes: [
        {
          kind: 'write',
          path: path(`${OVERLAY}/dev/kustomization.yaml`),
          bytes: new TextEncoder().encode(
            'resources: [../../base]\nimages: [{name: ghcr.io/acme/shop, newTag: 6.6.6-evil}]\n',
          ),
        },
      ],
      message: 'Plant',
      author: { name: 'E', email: 'e@e.example' },
    })
    const proposed = await promote(portal, 'development')
    expect(proposed.body).toMatchObject({ branch: `${branch}.2`, image: { tag: null } })
  })

  test('eleven closed pull requests do not block the twelfth', async () => {
    await using portal = await openShop()
    for (let number = 1; number <= 11; number++) {
      await promote(portal, 'development')
      await portal.closePull(number)
    }
    expect(await promote(portal, 'development')).toMatchObject({
      status: 201,
      body: { pullRequest: { number: 12 } },
    })
  }, 30_000)

  test('an update leaves everything of the images that somebody else wrote', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { image: { tag: '1.0.0' } })
    const branch = BranchName.of('promote/payments/shop/dev')
    const head = await portal.git.head(GITOPS, branch)
    if (!head.ok) throw new Error(head.error.kind)
    const kustomization = `${OVERLAY}/dev/kustomization.yaml`
    const text = `${await fileAt(portal, kustomization, branch)}    newName: mirror.acme.example/shop # ours\n  - name: sidecar\n    newTag: 9.9.9\n`
    await portal.git.commit(GITOPS, {
      branch,
      from: { kind: 'advance', expected: head.value.commit },
      changes: [
        { kind: 'write', path: path(kustomization), bytes: new TextEncoder().encode(text) },
      ],
      message: 'Mirror',
      author: { name: 'CI', email: 'ci@acme.example' },
    })
    await promote(portal, 'development', { replicas: 9 })
    expect(await fileAt(portal, kustomization, branch)).toBe(text)
  })

  test('a conflict is shown, and warned of', async () => {
    await using portal = await openShop()
    await promote(portal, 'development', { replicas: 1 })
    await portal.commit({ [`${OVERLAY}/dev/patch-xtenant-app.yaml`]: 'somebody: else\n' })
    expect((await state(portal)).body).toMatchObject({
      pullRequests: [{ number: 1, mergeable: 'conflicting' }],
      confirm: { available: false, reason: 'PR #1 pending' },
    })
    expect((await promote(portal, 'development', { replicas: 1 })).body).toMatchObject({
      pullRequest: { number: 1 },
      warnings: [{ code: 'untagged_image' }, { code: 'conflicting' }],
    })
  })

  test('a branch that was deleted under its pull request is made anew', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await git(portal, 'update-ref', '-d', 'refs/heads/promote/payments/shop/dev')
    const again = await promote(portal, 'development')
    expect([200, 201]).toContain(again.status)
    expect(pullOf(again).state).toBe('open')
  })

  test('sixteen applications at once, and no conflict reaches anybody', async () => {
    const apps = Array.from({ length: 16 }, (_, index) => `app-${index}`)
    await using portal = await openPortal({
      files: Object.assign({}, ...apps.map((app) => applicationFiles({ app }))),
    })
    await portal.signIn('platform')
    const statuses = await Promise.all(
      apps.map(async (app) => {
        const response = await portal.request(
          `/api/v1/catalog/entities/component/${app}/promotion`,
          {
            method: 'POST',
            as: 'platform',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ targetLifecycle: 'development' }),
          },
        )
        return response.status
      }),
    )
    expect(new Set(statuses)).toStrictEqual(new Set([201]))
  }, 30_000)
})

describe('what is refused', () => {
  test('by role, before anything else; for the confirmation, too', async () => {
    await using portal = await openShop({ lifecycle: 'development' })
    const refusal = { status: 403, body: { required: ['platform-team', 'payments:Managers'] } }
    expect(await promote(portal, 'staging', {}, 'dev')).toMatchObject(refusal)
    expect(await promote(portal, 'production', {}, 'dev')).toMatchObject(refusal)
    expect(await promote(portal, 'deprecated', {}, 'dev')).toMatchObject(refusal)
    expect(await promote(portal, 'development', {}, 'outsider')).toMatchObject({ status: 403 })
    expect(await promote(portal, 'staging', {}, 'dev', '?dryRun=true')).toMatchObject(refusal)
    await promote(portal, 'staging', {}, 'manager')
    await portal.merge(1)
    expect(await confirm(portal, 'dev')).toMatchObject(refusal)
    expect(await confirm(portal, 'manager')).toMatchObject({ status: 200 })
  })

  test.each([
    ['experimental', 'staging'],
    ['experimental', 'production'],
    ['staging', 'development'],
    ['development', 'development'],
    ['production', 'production'],
    ['deprecated', 'development'],
    ['deprecated', 'deprecated'],
  ])('by transition: %s to %s', async (from, to) => {
    await using portal = await openShop({ lifecycle: from })
    expect(await promote(portal, to)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', from, to },
    })
  })

  test.each([
    ['owner_foreign', { owner: 'group:other/payments' }],
    ['owner_invalid', { owner: 'payments' }],
    ['owner_invalid', { owner: 'group:acme/payments:Managers' }],
    ['lifecycle_unknown', { lifecycle: 'brand-new' }],
  ])('by entity: %s', async (reason, facts) => {
    await using portal = await openShop(facts)
    expect((await state(portal)).body).toMatchObject({ promotable: false, reason })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 409,
      body: { code: 'not_promotable', reason },
    })
    const asMember = await promote(portal, 'development', {}, 'outsider')
    expect(asMember.status).toBe(403)
    expect(await confirm(portal)).toMatchObject({ status: 409 })
  })

  test('by entity: without an application, without a base, twice, not there', async () => {
    const files = applicationFiles()
    await using portal = await openPortal({ files: { [ENTITY]: files[ENTITY] ?? '' } })
    expect((await state(portal)).body['reason']).toBe('application_missing')
    await portal.commit({ 'apps/payments/shop/README.md': 'soon' })
    expect((await promote(portal, 'development')).body['reason']).toBe('base_unusable')
    await portal.commit({ 'catalog/again.yaml': String(files[ENTITY]) })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 409,
      body: { code: 'entity_ambiguous' },
    })
    const missing = await portal.request(BASE.replace('shop', 'shpo'), { as: 'dev' })
    expect(await missing.json()).toMatchObject({ code: 'entity_not_found' })
  })

  test.each([
    [{ replicas: -1 }, '/overlayConfig/replicas'],
    [{ replicas: 101 }, '/overlayConfig/replicas'],
    [{ replicas: 1.5 }, '/overlayConfig/replicas'],
    [{ resources: { requests: { cpu: '1gb' } } }, '/overlayConfig/resources/requests/cpu'],
    [{ resources: { limits: { memory: '-1' } } }, '/overlayConfig/resources/limits/memory'],
    [{ resources: { limits: { memory: '1e400' } } }, '/overlayConfig/resources/limits/memory'],
    [
      { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      '/overlayConfig/resources/requests/cpu',
    ],
    [{ resources: { requests: { cpu: '10' } } }, '/overlayConfig/resources/requests/cpu'],
    [{ ingress: { host: 'a b' } }, '/overlayConfig/ingress/host'],
    [{ ingress: { host: '*.acme.example' } }, '/overlayConfig/ingress/host'],
    [{ ingress: { host: 'a\nresources: []' } }, '/overlayConfig/ingress/host'],
    [{ image: { tag: 'a b' } }, '/overlayConfig/image/tag'],
    [{ database: { tier: 'huge' } }, '/overlayConfig/database/tier'],
    [{ secrets: { 'a-b': 'canary' } }, '/overlayConfig/secrets'],
    [{ secrets: { KEY: 7 } }, '/overlayConfig/secrets'],
    [{ secrets: { KEY: 'canary'.repeat(6_000) } }, '/overlayConfig/secrets'],
  ])('by value: %j', async (overlayConfig, where) => {
    await using portal = await openShop()
    const refused = await promote(portal, 'development', overlayConfig)
    expect(refused.status).toBe(422)
    const errors = refused.body['errors'] as { path: string }[]
    expect(errors.some((error) => error.path.startsWith(where))).toBe(true)
    expect(JSON.stringify(refused.body)).not.toContain('canary')
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(await readdir(portal.directory)).not.toContain('secrets')
  })

  test('a host that another overlay has', async () => {
    await using portal = await openPortal({
      files: { ...applicationFiles(), ...applicationFiles({ app: 'till' }) },
    })
    const ingress = { host: 'shop.acme.example' }
    await promote(portal, 'development', { ingress })
    await portal.merge(1)
    const patch = `${OVERLAY}/dev/patch-xtenant-app.yaml`
    const written = (await fileAt(portal, patch)).replace('shop.acme', 'Shop.Acme')
    await portal.commit({ [patch]: written })
    const till = await portal.request(BASE.replace('shop', 'till'), {
      method: 'POST',
      as: 'platform',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ targetLifecycle: 'development', overlayConfig: { ingress } }),
    })
    expect(await till.json()).toMatchObject({ status: 409, code: 'host_taken' })
  })
})

describe('secrets', () => {
  const canary = 'canary-5f1d'

  test('are merged, never lost, never written over unasked, and nowhere but in the store', async () => {
    await using portal = await openShop()
    const first = await promote(portal, 'development', { secrets: { A: canary, B: canary } })
    expect(first.body['secrets']).toStrictEqual({
      path: 'payments/shop/dev/env',
      keys: ['A', 'B'],
      version: 1,
    })
    // The same again is no clash: it was this that wrote them.
    const again = await promote(portal, 'development', { secrets: { A: canary, B: canary } })
    expect(again).toMatchObject({ status: 200, body: { secrets: { version: 1 } } })
    const clash = await promote(portal, 'development', { secrets: { A: 'x', C: 'x' } })
    expect(clash).toMatchObject({ status: 409, body: { code: 'secret_exists', keys: ['A'] } })
    const more = await promote(portal, 'development', { secrets: { C: canary } })
    expect(more.body['secrets']).toMatchObject({ version: 2 })
    const over = await promote(portal, 'development', {
      secrets: { A: `${canary}-2` },
      overwriteSecrets: true,
    })
    expect(over.body['secrets']).toMatchObject({ version: 3 })

    expect(portal.logged.join('\n')).not.toContain(canary)
    const audit = await portal.request('/api/v1/audit', { as: 'platform' })
    const trail = await audit.text()
    expect(trail).toContain('secretKeys')
    expect(trail).not.toContain(canary)
    const everything = await Bun.$`grep -rc ${canary} ${portal.directory}`.quiet().nothrow().text()
    expect(everything.split('\n').filter((line) => /:[1-9]/.test(line))).toStrictEqual([])
    const objects = await git(portal, 'cat-file', '--batch-all-objects', '--batch')
    expect(objects).not.toContain(canary)
  })

  test('two that write the same new key at once: one does, the other is told', async () => {
    await using portal = await openShop()
    await portal.signIn('platform')
    await portal.signIn('manager')
    const answers = await Promise.all([
      promote(portal, 'development', { secrets: { K: 'one' } }, 'platform'),
      promote(portal, 'development', { secrets: { K: 'two' } }, 'manager'),
    ])
    const codes = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(codes).toStrictEqual([201, 409])
  })

  test('a store that fails is a named failure, nothing is proposed, and asking again finishes', async () => {
    await using portal = await openShop()
    await Bun.write(join(portal.directory, 'secrets'), 'in the way')
    const failed = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(failed).toMatchObject({ status: 502, body: { code: 'secret_store_error' } })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    await Bun.$`rm ${join(portal.directory, 'secrets')}`
    const again = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(again).toMatchObject({ status: 201, body: { secrets: { version: 1 } } })
  })

  test('a git host that fails after the secrets were written: asking again finishes', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.commit = async () => err({ kind: 'git_host_timeout' })
    const failed = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(failed).toMatchObject({ status: 504, body: { code: 'git_host_timeout' } })
    portal.git.commit = (...args) => host.commit(...args)
    portal.git.openPullRequest = async () => err({ kind: 'git_host_unreachable' })
    const further = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(further).toMatchObject({ status: 503, body: { code: 'git_host_unreachable' } })
    portal.git.openPullRequest = (...args) => host.openPullRequest(...args)
    const again = await promote(portal, 'development', { secrets: { A: 'a' } })
    expect(again).toMatchObject({
      status: 201,
      body: { branch: 'promote/payments/shop/dev', secrets: { version: 1 } },
    })
  })
})

describe('the dry run', () => {
  test('is byte for byte what the pull request contains, with its diff', async () => {
    await using portal = await openShop()
    const wish = {
      replicas: 3,
      ingress: { host: 'shop.dev.acme.example' },
      image: { tag: 'latest' },
      secrets: { A: 'canary' },
    }
    const preview = await promote(portal, 'development', wish, 'dev', '?dryRun=true')
    expect(preview).toMatchObject({
      status: 200,
      body: {
        allowed: true,
        status: 'pr_open',
        title: '[Promote] payments/shop → dev',
        secrets: { path: 'payments/shop/dev/env', keys: ['A'] },
        warnings: [{ code: 'mutable_tag' }],
      },
    })
    expect(JSON.stringify(preview.body)).not.toContain('canary')
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(await readdir(portal.directory)).not.toContain('secrets')

    await promote(portal, 'development', wish, 'dev')
    for (const file of preview.body['files'] as { path: string; content: string; diff: string }[]) {
      expect(await fileAt(portal, file.path, 'promote/payments/shop/dev')).toBe(file.content)
      expect(file.diff).toContain(`+++ b/${file.path}`)
    }
  })

  test('warns of an image without a tag and of a strange host', async () => {
    await using portal = await openPortal({
      files: { ...applicationFiles(), ...applicationFiles({ app: 'till' }) },
    })
    expect((await promote(portal, 'development', {}, 'dev', '?dryRun=true')).body).toMatchObject({
      warnings: [{ code: 'untagged_image' }],
    })
    await promote(portal, 'development', { ingress: { host: 'shop.acme.example' } })
    await portal.merge(1)
    const till = await portal.request(`${BASE.replace('shop', 'till')}?dryRun=true`, {
      method: 'POST',
      as: 'platform',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        targetLifecycle: 'development',
        overlayConfig: { ingress: { host: 'till.evil.example' }, image: { tag: '1' } },
      }),
    })
    expect(await till.json()).toMatchObject({ warnings: [{ code: 'unusual_host' }] })
  })
})

describe('confirming', () => {
  test('on a protected branch becomes a pull request, found again when asked again', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    const host = { ...portal.git }
    portal.git.commit = async (repository, request) =>
      request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'main is protected' })
        : host.commit(repository, request)
    for (const _ of [1, 2]) {
      expect(await confirm(portal, 'dev')).toMatchObject({
        status: 202,
        body: {
          status: 'lifecycle_pr_open',
          pullRequest: { number: 2, title: '[Lifecycle] payments/shop → dev' },
        },
      })
    }
    await portal.merge(2)
    expect((await state(portal)).body['lifecycle']).toBe('development')
    expect(await confirm(portal, 'dev')).toMatchObject({ body: { status: 'already_confirmed' } })
  })

  test('with a target that is not next, and with a body that is none', async () => {
    await using portal = await openShop()
    expect(await confirm(portal, 'platform', { targetLifecycle: 'production' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    })
    expect(await confirm(portal, 'platform', { targetLifecycle: 'nirvana' })).toMatchObject({
      status: 422,
    })
    expect(await confirm(portal)).toMatchObject({ body: { code: 'overlay_missing' } })
  })
})

describe('deprecation', () => {
  test('is a pull request that sets the lifecycle and says why; then nothing more can be promoted', async () => {
    await using portal = await openShop({ lifecycle: 'production' })
    const asked = {
      targetLifecycle: 'deprecated',
      deprecation: {
        reason: 'Nobody: uses # it',
        replacedBy: 'component:till',
        sunsetAt: '2027-03-01',
      },
    }
    const proposed = await ask(portal, 'POST', '', 'manager', asked)
    expect(proposed).toMatchObject({
      status: 201,
      body: {
        environment: null,
        targetLifecycle: 'deprecated',
        pullRequest: { number: 1, title: '[Deprecate] payments/shop' },
        files: [ENTITY],
      },
    })
    expect((await ask(portal, 'POST', '', 'manager', asked)).status).toBe(200)
    await portal.merge(1)
    const entity = await portal.request('/api/v1/catalog/entities/component/shop', { as: 'dev' })
    portal.portal.catalog.invalidate()
    expect(entity.status).toBe(200)
    const now = await portal.request('/api/v1/catalog/entities/component/shop', { as: 'dev' })
    expect(await now.json()).toMatchObject({
      metadata: {
        annotations: {
          'portico/deprecated-reason': 'Nobody: uses # it',
          'portico/deprecated-replaced-by': 'component:till',
          'portico/deprecated-sunset-at': '2027-03-01',
          'portico/deprecated-by': 'manager',
        },
      },
      spec: { lifecycle: 'deprecated', type: 'service' },
    })
    expect(await fileAt(portal, ENTITY)).toContain('service   # the spaces stay')
    expect(await promote(portal, 'staging')).toMatchObject({ body: { code: 'invalid_transition' } })
  })
})

test('what has no application, or an unknown lifecycle, can be deprecated all the same', async () => {
  const files = applicationFiles({ lifecycle: 'brand-new' })
  await using portal = await openPortal({ files: { [ENTITY]: files[ENTITY] ?? '' } })
  expect(await promote(portal, 'deprecated', {}, 'dev')).toMatchObject({ status: 403 })
  expect(await promote(portal, 'deprecated', {}, 'manager')).toMatchObject({
    status: 201,
    body: { pullRequest: { title: '[Deprecate] payments/shop' } },
  })
})

describe('the audit', () => {
  test('has every decision and effect, allowed and denied', async () => {
    await using portal = await openShop()
    await promote(portal, 'staging', {}, 'dev')
    await promote(portal, 'development', {}, 'dev')
    await portal.merge(1)
    await confirm(portal, 'dev')
    await confirm(portal, 'dev')
    const rows = (await (
      await portal.request('/api/v1/audit?team=payments', { as: 'dev' })
    ).json()) as { action: string; result: string; code: string | null; groups: string[] }[]
    expect(
      rows.map(({ action, result, code }) => [action, result, code]).toReversed(),
    ).toStrictEqual([
      ['promotion.propose', 'denied', 'forbidden'],
      ['promotion.propose', 'started', null],
      ['promotion.propose', 'done', null],
      ['promotion.confirm', 'started', null],
      ['promotion.confirm', 'done', null],
      ['promotion.confirm', 'allowed', null],
    ])
    expect(rows[0]?.groups).toStrictEqual(['payments'])
  })
})

test('what cannot be put on record is not done', async () => {
  await using portal = await openShop()
  const audit = portal.portal.audit as { record: unknown }
  audit.record = async () => err({ kind: 'database_unavailable', reason: 'on demand' })
  const refused = { status: 503, body: { code: 'database_unavailable' } }
  expect(await promote(portal, 'development', { secrets: { A: 'a' } })).toMatchObject(refused)
  expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  expect(await readdir(portal.directory)).not.toContain('secrets')
  await portal.commit({ [`${OVERLAY}/dev/kustomization.yaml`]: 'resources: [../../base]\n' })
  const before = await git(portal, 'rev-parse', 'main')
  expect(await confirm(portal)).toMatchObject(refused)
  expect(await git(portal, 'rev-parse', 'main')).toBe(before)
})

describe.skipIf(kubectl === null)('what is proposed builds with kustomize', () => {
  interface Wish {
    readonly replicas?: number
    readonly resources?: { readonly limits: { readonly cpu: string; readonly memory: string } }
    readonly ingress?: { readonly host: string }
    readonly database?: { readonly tier: string; readonly name?: string }
    readonly image?: { readonly tag: string }
  }
  const options: readonly (readonly [string, readonly Wish[]])[] = [
    ['replicas', [{}, { replicas: 0 }, { replicas: 4 }]],
    ['resources', [{}, { resources: { limits: { cpu: '2', memory: '1Gi' } } }]],
    ['ingress', [{}, { ingress: { host: 'shop.dev.acme.example' } }]],
    [
      'database',
      [{}, { database: { tier: 'shared' } }, { database: { tier: 'dedicated', name: '0777' } }],
    ],
    ['image', [{}, { image: { tag: '1.10' } }, { image: { tag: '12345e7' } }]],
  ]
  const combinations = options.reduce<readonly Wish[]>(
    (sofar, [, choices]) =>
      sofar.flatMap((config) => choices.map((choice) => ({ ...config, ...choice }))),
    [{}],
  )

  test.each([true, false])(
    `in all ${combinations.length} combinations, with a database in the base: %p`,
    async (database) => {
      await using portal = await openShop({ database })
      await portal.signIn('platform')
      const base = applicationFiles({ database })
      const check = async (config: Wish) => {
        const { body } = await promote(portal, 'development', config, 'platform', '?dryRun=true')
        const files = Object.fromEntries(
          (body['files'] as { path: string; content: string }[]).map((file) => [
            file.path,
            file.content,
          ]),
        )
        const { limits } = config.resources ?? { limits: { cpu: '250m', memory: '128Mi' } }
        const image = `ghcr.io/acme/shop${config.image ? `:${config.image.tag}` : ''}`
        const { tier = 'shared', name = 'shop-dev-db' } = config.database ?? {}
        const hasDatabase = database || config.database !== undefined
        expect(await kustomize({ ...base, ...files }, `${OVERLAY}/dev`)).toMatchObject({
          kind: 'XTenantApp',
          metadata: { name: 'payments-shop-dev' },
          spec: {
            parameters: {
              appName: 'shop',
              environment: 'dev',
              namespace: 'payments-dev',
              image,
              replicas: config.replicas ?? 1,
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits },
              ingress: config.ingress ? { enabled: true, ...config.ingress } : { enabled: true },
              externalSecrets: { enabled: true, path: 'payments/shop/dev/env' },
              database: hasDatabase ? { enabled: true, tier, name } : { enabled: false },
            },
          },
        })
      }
      for (let start = 0; start < combinations.length; start += 4) {
        await Promise.all(combinations.slice(start, start + 4).map(check))
      }
    },
    120_000,
  )
})
