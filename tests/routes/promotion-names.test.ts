import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal, type TestPortal } from '#tests/support/portal.ts'
import { ask } from '#tests/support/promotion.ts'

const promote = (portal: TestPortal, app: string, target: string, overlayConfig: object = {}) =>
  ask(portal, 'POST', '?dryRun=true', 'platform', { targetLifecycle: target, overlayConfig }, app)

const patch = (database: string) =>
  `spec:\n  parameters:\n    database:\n      tier: shared\n      name: ${database}\n`
const shared = (name: string) => ({ database: { tier: 'shared', name } })
const OVERLAY = 'resources: [../../base]\n'

describe('a database is taken', () => {
  const TILL_DEV = 'apps/shipping/till/overlays/dev'
  const open = (more: Readonly<Record<string, string>>) =>
    openPortal({
      files: {
        ...applicationFiles(),
        ...applicationFiles({ app: 'till', team: 'shipping' }),
        ...more,
      },
    })

  test('by the overlay of another team', async () => {
    const file = `${TILL_DEV}/patch-xtenant-app.yaml`
    await using portal = await open({ [file]: patch('till-dev-db') })
    expect(await promote(portal, 'shop', 'development', shared('till-dev-db'))).toMatchObject({
      status: 409,
      body: { code: 'database_taken', detail: `till-dev-db is claimed by ${file}` },
    })
    expect((await promote(portal, 'shop', 'development', shared('other'))).status).toBe(200)
  })

  test('by default as well', async () => {
    await using portal = await open({
      [`${TILL_DEV}/patch-xtenant-app.yaml`]: patch('shop-dev-db'),
    })
    const config = { database: { tier: 'shared' } }
    expect(await promote(portal, 'shop', 'development', config)).toMatchObject({
      body: { code: 'database_taken' },
    })
    // Without a database of its own the name does not matter.
    expect((await promote(portal, 'shop', 'development')).status).toBe(200)
  })

  test('by another environment of the same application, whose data it has', async () => {
    const dev = 'apps/payments/shop/overlays/dev'
    await using portal = await open({
      ...(applicationFiles({ lifecycle: 'development' }) as Record<string, string>),
      [`${dev}/kustomization.yaml`]: OVERLAY,
      [`${dev}/patch-xtenant-app.yaml`]: patch('shop-db'),
    })
    expect(await promote(portal, 'shop', 'staging', shared('shop-db'))).toMatchObject({
      body: { code: 'database_taken' },
    })
    expect((await promote(portal, 'shop', 'staging', shared('shop-staging-db'))).status).toBe(200)
  })
})

test('objects of another application have the name already', async () => {
  await using portal = await openPortal({
    files: {
      ...applicationFiles({ team: 'payments-core', app: 'ledger' }),
      ...applicationFiles({ team: 'payments', app: 'core-ledger' }),
      'apps/payments/core-ledger/overlays/dev/kustomization.yaml': OVERLAY,
    },
  })
  expect(await promote(portal, 'ledger', 'development')).toMatchObject({
    status: 409,
    body: {
      code: 'name_taken',
      detail: 'payments-core-ledger-dev belongs to payments/core-ledger',
    },
  })
  // The other one came first, and an application without an overlay is in nobody's way.
  expect((await promote(portal, 'core-ledger', 'development')).status).toBe(200)
})
