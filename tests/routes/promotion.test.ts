import { describe, expect, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import {
  ask,
  confirm,
  ENTITY,
  fileAt,
  openShop,
  OVERLAY,
  preview,
  promote,
  SHOP,
  state,
  warningsOf,
} from '#tests/support/promotion.ts'

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
      expect(await confirm(portal, as)).toMatchObject({
        body: { status: 'already_confirmed', previousLifecycle: previous, lifecycle },
      })
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
    expect(await portal.secretVersions()).toStrictEqual([])
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

describe('the state', () => {
  test('is of the head, and what did not change since is not read again', async () => {
    await using portal = await openShop()
    const before = await state(portal)
    await portal.commit({ 'notes.md': 'x' })
    portal.git.calls.length = 0
    const after = await state(portal)
    expect(portal.git.calls).not.toContain('readFiles')
    expect(after.body).toStrictEqual({
      ...before.body,
      revision: after.body['revision'],
      revisionUrl: after.body['revisionUrl'],
    })
    expect(after.body['revision']).not.toBe(before.body['revision'])

    await portal.commit({ [`${OVERLAY}/dev/kustomization.yaml`]: 'resources: [../../base]\n' })
    expect((await state(portal)).body).toMatchObject({ environments: [{ overlay: true }, {}, {}] })
    await portal.commit({ [`${OVERLAY}/dev/kustomization.yaml`]: null })
    expect((await state(portal)).body).toMatchObject({ environments: [{ overlay: false }, {}, {}] })
  })
})

// `overlay/manifests.test.ts` has the other spellings.
describe('what is no tag', () => {
  test.each(['~', '""'])('newTag: %s is none, and nothing of it is carried on', async (tag) => {
    await using portal = await openPortal({
      files: {
        ...applicationFiles({ lifecycle: 'development' }),
        [`${OVERLAY}/dev/kustomization.yaml`]: `resources: [../../base]\nimages:\n  - name: ghcr.io/acme/shop\n    newTag: ${tag}\n`,
      },
    })
    expect((await state(portal)).body).toMatchObject({
      imageTags: { dev: null },
      environments: [{ image: { tag: null, digest: null } }, {}, {}],
    })
    const proposed = await promote(portal, 'staging')
    expect(proposed.body).toMatchObject({ image: { tag: null, carriedFrom: null } })
    expect(warningsOf(proposed)).toStrictEqual(['untagged_image'])
    const branch = 'promote/payments/shop/staging'
    expect(await fileAt(portal, `${OVERLAY}/staging/kustomization.yaml`, branch)).not.toContain(
      'images:',
    )
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
    expect(await portal.secretVersions()).toStrictEqual([])

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
    const till = await portal.request(`${SHOP.replace('shop', 'till')}?dryRun=true`, {
      as: 'platform',
      json: {
        targetLifecycle: 'development',
        overlayConfig: { ingress: { host: 'till.evil.example' }, image: { tag: '1' } },
      },
    })
    expect(await till.json()).toMatchObject({ warnings: [{ code: 'unusual_host' }] })
  })
})

describe('confirming', () => {
  test('on a protected branch becomes a pull request, and waits for it', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    const host = { ...portal.git }
    portal.git.commit = async (repository, request) =>
      request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'main is protected' })
        : host.commit(repository, request)
    const opened = (number: number) => ({
      status: 202,
      body: {
        status: 'lifecycle_pr_open',
        pullRequest: { number, title: '[Lifecycle] payments/shop → dev' },
      },
    })
    expect(await confirm(portal, 'dev')).toMatchObject(opened(2))
    expect((await state(portal)).body).toMatchObject({
      confirm: {
        available: false,
        targetLifecycle: 'development',
        reason: 'PR #2 pending',
        pullRequest: 2,
      },
      acts: [{ do: 'confirm', allowed: false, reason: 'pr_pending' }, {}, {}, {}],
      environments: [{ name: 'dev', state: 'ready_to_confirm' }, {}, {}],
    })
    expect(await confirm(portal, 'dev')).toMatchObject({
      status: 409,
      body: { code: 'pr_pending', detail: 'PR #2 pending', pullRequest: 2 },
    })
    await portal.closePull(2)
    expect((await state(portal)).body['confirm']).toMatchObject({ available: true })
    expect(await confirm(portal, 'dev')).toMatchObject(opened(3))
    await portal.merge(3)
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
      body: {
        errors: [
          {
            path: '/targetLifecycle',
            message: 'must be one of development, staging, production',
          },
        ],
      },
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

test('the dry run of a deprecation shows what changes, in a large file too', async () => {
  const files = applicationFiles()
  const more = `# ${'x'.repeat(98)}\n`.repeat(2_000)
  await using portal = await openPortal({
    files: { ...files, [ENTITY]: `${String(files[ENTITY])}${more}` },
  })
  const { body } = await preview(portal, 'deprecated')
  const [file] = body['files'] as readonly { status: string; diff: string }[]
  expect(file).toMatchObject({ status: 'modified' })
  expect(file?.diff).toContain('\n-  lifecycle: experimental # so does this\n')
  expect(file?.diff.length).toBeLessThan(2_000)
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
