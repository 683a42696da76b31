import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal, sharedPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { ask, confirm, fileAt, OVERLAY, preview, promote, state } from '#tests/support/promotion.ts'

const ENVIRONMENTS =
  'dev:development:member,staging:staging:manager,qa:acceptance:member,production:production:manager'
const WAY = [
  ['development', 'dev', 'payments-dev', 'dev'],
  ['staging', 'staging', 'payments-staging', 'manager'],
  ['acceptance', 'qa', 'payments-qa', 'dev'],
  ['production', 'production', 'payments', 'manager'],
] as const
const NAMES = WAY.map(([, environment]) => environment)
const LIFECYCLES = WAY.map(([lifecycle]) => lifecycle)

const openWithQa = (lifecycle = 'experimental') =>
  openPortal({ files: applicationFiles({ lifecycle }), environment: { ENVIRONMENTS } })

describe('with a fourth environment', () => {
  /** For requests that change nothing. */
  const unchanged = sharedPortal(() => openWithQa())

  test('an application goes all the way, the image carried from each environment to the next', async () => {
    await using portal = await openWithQa()
    for (const [index, [lifecycle, environment, namespace, as]] of WAY.entries()) {
      const before = WAY[index - 1]?.[1] ?? null
      const wish = {
        secrets: { KEY: 'value' },
        ...(before === null && { image: { tag: '1.10' } }),
      }
      const secretsPath = `payments/shop/${environment}/env`
      const image = { tag: '1.10', carriedFrom: before }
      expect(await preview(portal, lifecycle, wish)).toMatchObject({
        status: 200,
        body: { environment, image, secrets: { path: secretsPath } },
      })
      expect(await promote(portal, lifecycle, wish, as)).toMatchObject({
        status: 201,
        body: {
          environment,
          targetLifecycle: lifecycle,
          branch: `promote/payments/shop/${environment}`,
          pullRequest: { title: `[Promote] payments/shop → ${environment}` },
          image,
          secrets: { path: secretsPath, keys: ['KEY'], version: 1 },
        },
      })
      expect((await state(portal)).body).toMatchObject({
        pullRequests: [{ environment, targetLifecycle: lifecycle }],
        next: { environment, targetLifecycle: lifecycle },
      })
      await portal.merge(index + 1)
      expect((await state(portal)).body['drift']).toMatchObject([{ environment }])
      expect(await confirm(portal, as, { targetLifecycle: lifecycle })).toMatchObject({
        status: 200,
        body: { status: 'confirmed', lifecycle },
      })
      const patch = await fileAt(portal, `${OVERLAY}/${environment}/patch-xtenant-app.yaml`)
      expect(patch).toContain(`namespace: ${namespace}\n`)
      expect(patch).toContain(`path: ${secretsPath}\n`)
    }
    const { body } = await state(portal)
    expect(body).toMatchObject({
      lifecycle: 'production',
      imageTags: Object.fromEntries(NAMES.map((name) => [name, '1.10'])),
      environments: WAY.map(([lifecycle, name]) => ({
        name,
        lifecycle,
        state: 'live',
        secretsPath: `payments/shop/${name}/env`,
      })),
      next: null,
      confirm: { reason: 'nothing is above production' },
    })
    const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
    expect(await problems.json()).toStrictEqual([])
  })

  test('it cannot be skipped, and its row says who may promote to it', async () => {
    await using portal = await openWithQa('staging')
    expect(await promote(portal, 'production')).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_transition',
        allowed: ['development', 'staging', 'acceptance', 'deprecated'],
      },
    })
    expect(await confirm(portal, 'platform', { targetLifecycle: 'production' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    })
    expect(await promote(portal, 'acceptance', {}, 'outsider')).toMatchObject({ status: 403 })
    expect(await promote(portal, 'production', {}, 'dev')).toMatchObject({ status: 403 })
    expect((await state(portal, 'dev')).body).toMatchObject({
      next: {
        environment: 'qa',
        allowed: true,
        requires: ['platform-team', 'payments:Managers', 'payments'],
      },
    })
    expect(await promote(portal, 'acceptance', {}, 'dev')).toMatchObject({ status: 201 })
  })

  test('it can be entered by an application that has passed it, whose lifecycle stays', async () => {
    const overlay = (tag: string) =>
      `resources: [../../base]\nimages: [{name: ghcr.io/acme/shop, newTag: '${tag}'}]\n`
    await using portal = await openPortal({
      files: {
        ...applicationFiles({ lifecycle: 'production' }),
        [`${OVERLAY}/dev/kustomization.yaml`]: overlay('1.12'),
        [`${OVERLAY}/staging/kustomization.yaml`]: overlay('1.11'),
        [`${OVERLAY}/production/kustomization.yaml`]: overlay('1.10'),
      },
      environment: { ENVIRONMENTS },
    })
    const refresh = () =>
      portal.request('/api/v1/webhooks/catalog/refresh', {
        method: 'POST',
        headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
      })
    const list = async (path: string) =>
      (await portal.request(`/api/v1/${path}`, { as: 'dev' })).json()
    const facts = async () => {
      const { next, confirm, environments, drift } = (await state(portal)).body
      return { next, confirm, drift, qa: (environments as readonly unknown[])[2] }
    }
    const above = {
      next: null,
      confirm: { available: false, reason: 'nothing is above production' },
    }
    const role = { allowed: true, requires: ['platform-team', 'payments:Managers', 'payments'] }
    expect(await facts()).toMatchObject({ ...above, qa: { name: 'qa', state: 'none', ...role } })

    expect(await promote(portal, 'acceptance', {}, 'outsider')).toMatchObject({ status: 403 })
    const opened = { kind: 'promotion', image: { tag: '1.11', carriedFrom: 'staging' } }
    expect(await preview(portal, 'acceptance')).toMatchObject({ status: 200, body: opened })
    expect(await promote(portal, 'acceptance', {}, 'dev')).toMatchObject({
      status: 201,
      body: { ...opened, created: true, files: { length: 3 } },
    })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({
      value: [{ body: expect.stringContaining('It is live once it is merged') }],
    })
    expect(await facts()).toMatchObject({ ...above, qa: { state: 'pr_open', pullRequest: 1 } })
    expect(await list('promotions')).toMatchObject([{ kind: 'promotion', waitsFor: 'review' }])
    expect(await confirm(portal, 'manager')).toMatchObject({
      body: { status: 'already_confirmed' },
    })

    await portal.merge(1)
    await refresh()
    expect(await facts()).toMatchObject({
      ...above,
      drift: [],
      qa: { state: 'live', image: { tag: '1.11' } },
    })
    expect((await state(portal)).body['lifecycle']).toBe('production')
    expect(await list('promotions')).toStrictEqual([])
    expect(await list('environments')).toMatchObject([
      { lifecycle: 'production', environments: [{}, {}, { name: 'qa', state: 'live' }, {}] },
    ])
    expect(await preview(portal, 'acceptance', { replicas: 2 })).toMatchObject({
      body: { kind: 'release' },
    })
  })

  test('a tag of its name is mutable', async () => {
    const { body } = await preview(unchanged(), 'development', { image: { tag: 'qa' } })
    expect(body['warnings']).toMatchObject([{ code: 'mutable_tag' }])
  })

  test('a refusal names the lifecycles of the setting', async () => {
    const message = (names: readonly string[]) => ({
      status: 422,
      body: {
        errors: [{ path: '/targetLifecycle', message: `must be one of ${names.join(', ')}` }],
      },
    })
    const body = { targetLifecycle: 'qa' }
    expect(await ask(unchanged(), 'POST', '', 'dev', body)).toMatchObject(
      message([...LIFECYCLES, 'deprecated']),
    )
    expect(await confirm(unchanged(), 'dev', body)).toMatchObject(message(LIFECYCLES))
  })

  test('the OpenAPI document has its names', async () => {
    const response = await unchanged().request('/api/v1/openapi.json')
    expect(await response.json()).toMatchObject({
      components: {
        schemas: {
          EnvironmentName: { enum: NAMES },
          StageLifecycle: { enum: LIFECYCLES },
          TargetLifecycle: { enum: [...LIFECYCLES, 'deprecated'] },
        },
      },
    })
  })
})

test('a lifecycle that is not configured is a problem of the catalog, and not promotable', async () => {
  await using portal = await openPortal({
    files: applicationFiles({ lifecycle: 'staging' }),
    environment: { ENVIRONMENTS: 'live:running:manager' },
  })
  expect((await state(portal)).body).toMatchObject({
    promotable: false,
    reason: 'lifecycle_unknown',
    imageTags: { live: null },
  })
  const problems = await portal.request('/api/v1/catalog/problems', { as: 'dev' })
  expect(await problems.json()).toMatchObject([{ code: 'lifecycle_unknown' }])
})
