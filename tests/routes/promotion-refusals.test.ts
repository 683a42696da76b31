import { afterAll, describe, expect, test } from 'bun:test'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import {
  ask,
  auditOf,
  confirm,
  ENTITY,
  openShop,
  promote,
  SHOP,
  state,
} from '#tests/support/promotion.ts'

describe('what is refused', () => {
  /** For tests that change nothing. */
  const unchanged = lazily(() => openShop())
  afterAll(async () => (await unchanged())[Symbol.asyncDispose]())

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
    ['dev', [true, false, false], false],
    ['manager', [true, true, true], true],
    ['platform', [true, true, true], true],
    ['outsider', [false, false, false], false],
  ] as const)('the state tells %s so beforehand', async (as, allowed, deprecates) => {
    const portal = await unchanged()
    const managers = ['platform-team', 'payments:Managers']
    const requires = [[...managers, 'payments'], managers, managers]
    expect((await state(portal, as)).body).toMatchObject({
      environments: requires.map((groups, at) => ({ allowed: allowed[at], requires: groups })),
      deprecation: { allowed: deprecates, requires: managers },
    })
  })

  test('the state offers no deprecation of what is deprecated or has no owner', async () => {
    await using deprecated = await openShop({ lifecycle: 'deprecated' })
    expect((await state(deprecated)).body).toMatchObject({ deprecation: null })
    const files = applicationFiles()
    const ownerless = { ...files, [ENTITY]: String(files[ENTITY]).replace(/^ *owner:.*\n/m, '') }
    await using missing = await openPortal({ files: ownerless })
    expect((await state(missing)).body).toMatchObject({ promotable: false, deprecation: null })
  })

  test('by role also where there is nothing to confirm, and on record', async () => {
    await using portal = await openShop({ lifecycle: 'deprecated' })
    for (const as of ['outsider', 'dev'] as const)
      expect(await confirm(portal, as)).toMatchObject({ status: 403 })
    expect(await confirm(portal, 'manager')).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', from: 'deprecated', allowed: [] },
    })
    const rows = (await auditOf(portal)).map(({ action, code }) => [action, code])
    expect(rows).toStrictEqual([
      ['promotion.confirm', 'forbidden'],
      ['promotion.confirm', 'forbidden'],
      ['promotion.confirm', 'invalid_transition'],
    ])
  })

  test('the last stage without its overlay, whether it is named or not', async () => {
    await using portal = await openShop({ lifecycle: 'production' })
    const missing = { status: 409, body: { code: 'overlay_missing' } }
    expect(await confirm(portal, 'dev')).toMatchObject({ status: 403 })
    expect(await confirm(portal, 'manager')).toMatchObject(missing)
    expect(await confirm(portal, 'manager', { targetLifecycle: 'production' })).toMatchObject(
      missing,
    )
  })

  test('everything that is wrong at once', async () => {
    await using portal = await openShop()
    const asked = {
      overlayConfig: {
        replicas: 101,
        resources: { requests: [], limits: { cpu: '1Qi', memory: 7 } },
        secrets: { '1a': 'x', B: 8, C: 9 },
        database: { tier: 'huge' },
      },
      deprecation: { sunsetAt: '2027-02-30' },
    }
    const refused = await ask(portal, 'POST', '?dryRun=perhaps', 'platform', asked)
    expect(refused.status).toBe(422)
    const errors = refused.body['errors'] as { path: string; rule: string; message: string }[]
    expect(
      errors.map(({ path, rule, message }) => `${path} ${rule}: ${message}`).toSorted(),
    ).toStrictEqual([
      '/deprecation/sunsetAt date: must be a date, such as 2026-12-31',
      '/overlayConfig/database/tier one_of: must be one of shared, dedicated',
      '/overlayConfig/replicas maximum: must be at most 100',
      '/overlayConfig/resources/limits/cpu quantity: must be a Kubernetes quantity, such as 250m or 1Gi',
      '/overlayConfig/resources/limits/memory type: must be text',
      '/overlayConfig/resources/requests type: must be an object',
      '/overlayConfig/secrets secret_key: keys have letters, digits and underscores, such as STRIPE_KEY',
      '/overlayConfig/secrets type: every value must be text',
      '/query/dryRun type: must be true or false',
      '/targetLifecycle required: is required',
    ])
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
    expect(await promote(portal, 'development')).toMatchObject({
      status: 409,
      body: { reason: 'base_unusable', detail: 'there is no readable base/xtenant-app.yaml' },
    })
    await portal.commit({ 'catalog/again.yaml': String(files[ENTITY]) })
    expect(await promote(portal, 'development')).toMatchObject({
      status: 409,
      body: { code: 'entity_ambiguous' },
    })
    const missing = await portal.request(SHOP.replace('shop', 'shpo'), { as: 'dev' })
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
    [{ ingress: { host: '10.0.0.1' } }, '/overlayConfig/ingress/host'],
    [{ ingress: { host: 'shop.0x7f' } }, '/overlayConfig/ingress/host'],
    [{ image: { tag: 'a b' } }, '/overlayConfig/image/tag'],
    [{ database: { tier: 'huge' } }, '/overlayConfig/database/tier'],
    [{ secrets: { 'a-b': 'canary' } }, '/overlayConfig/secrets'],
    [{ secrets: { 'KEY\n': 'canary', OTHER: 'canary' } }, '/overlayConfig/secrets'],
    [{ secrets: { 'KEY\n': 7 } }, '/overlayConfig/secrets'],
    [{ secrets: { KEY: 7 } }, '/overlayConfig/secrets'],
    [{ secrets: { KEY: 'canary\ud800' } }, '/overlayConfig/secrets/KEY'],
    [{ secrets: { KEY: '\udc00canary' } }, '/overlayConfig/secrets/KEY'],
    [{ secrets: { KEY: 'canary'.repeat(6_000) } }, '/overlayConfig/secrets'],
  ])('by value: %j', async (overlayConfig, where) => {
    const portal = await unchanged()
    const refused = await promote(portal, 'development', overlayConfig)
    expect(refused.status).toBe(422)
    const errors = refused.body['errors'] as { path: string }[]
    expect(errors.some((error) => error.path.startsWith(where))).toBe(true)
    expect(JSON.stringify(refused.body)).not.toContain('canary')
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(await portal.secretVersions()).toStrictEqual([])
  })
})
