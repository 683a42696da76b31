import { expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal } from '#tests/support/portal.ts'
import { confirm, OVERLAY, preview, promote, state } from '#tests/support/promotion.ts'

const BASE = 'apps/payments/shop/base/xtenant-app.yaml'
const UNREADABLE = 'kind: XTenantApp\nspec: {parameters: {image: ghcr.io/acme/shop}}\n'
const MISSING =
  'base/xtenant-app.yaml has no apiVersion, no metadata.name, no spec.parameters.namespace'

const openWithOverlay = () =>
  openPortal({
    files: {
      ...applicationFiles(),
      [BASE]: UNREADABLE,
      [`${OVERLAY}/dev/kustomization.yaml`]: 'resources: [../../base]\n',
    },
  })

test('an overlay is confirmed whatever its base looks like', async () => {
  await using portal = await openWithOverlay()
  expect((await state(portal)).body).toMatchObject({
    promotable: false,
    reason: 'base_unusable',
    missing: MISSING,
    confirm: { available: true, targetLifecycle: 'development' },
    environments: [{ name: 'dev', state: 'ready_to_confirm' }, {}, {}],
  })
  const ready = { status: 200, body: { status: 'ready_to_confirm', image: null } }
  expect(await preview(portal, 'development')).toMatchObject(ready)
  expect(await promote(portal, 'development')).toMatchObject(ready)
  expect(await confirm(portal)).toMatchObject({
    status: 200,
    body: { status: 'confirmed', lifecycle: 'development' },
  })
})

test('a new overlay needs its base, and a refusal says what it lacks', async () => {
  await using portal = await openWithOverlay()
  await confirm(portal)
  expect(await promote(portal, 'staging')).toMatchObject({
    status: 409,
    body: { code: 'not_promotable', reason: 'base_unusable', detail: MISSING },
  })
})
