import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal, type TestPortal } from '#tests/support/portal.ts'
import { ask, OVERLAY } from '#tests/support/promotion.ts'

const HOST = 'shop.acme.example'
const BASE = 'apps/payments/shop/base/xtenant-app.yaml'
const TILL = 'apps/payments/till'
const TILL_ENTITY = 'catalog/payments/components/till.yaml'

const openBoth = (more: Readonly<Record<string, string>> = {}) =>
  openPortal({ files: { ...applicationFiles(), ...applicationFiles({ app: 'till' }), ...more } })

/** What a promotion with this host comes to. */
const take = (portal: TestPortal, app: string, target: string, host = HOST) =>
  ask(
    portal,
    'POST',
    '?dryRun=true',
    'platform',
    { targetLifecycle: target, overlayConfig: { ingress: { host }, image: { tag: '1' } } },
    app,
  )

const taken = (claimedBy: string) => ({
  status: 409,
  body: { code: 'host_taken', detail: `claimed by ${claimedBy}` },
})

const patch = (host: string) => `spec:\n  parameters:\n    ingress:\n      host: ${host}\n`
const baseWith = (host: string, app = 'shop') => {
  const base = applicationFiles({ app })[`apps/payments/${app}/base/xtenant-app.yaml`]
  const text = new TextDecoder().decode(base as Uint8Array)
  return text.replace('enabled: true\n', `enabled: true\n      host: ${host}\n`)
}

describe('a host is taken', () => {
  test.each([
    ['in an overlay', `${OVERLAY}/dev/patch-xtenant-app.yaml`, patch(HOST)],
    [
      'in any case, with its root',
      `${OVERLAY}/dev/patch-xtenant-app.yaml`,
      patch('Shop.ACME.example.'),
    ],
    [
      'in a second document',
      `${OVERLAY}/dev/patch-xtenant-app.yaml`,
      `${patch('other.acme.example')}---\n${patch(HOST)}`,
    ],
    [
      'behind a document without any',
      `${OVERLAY}/dev/patch-xtenant-app.yaml`,
      `# nothing\n---\nkind: Other\n---\n${patch(HOST)}`,
    ],
    ['in a patch of another name', `${OVERLAY}/dev/patch-ingress.yml`, patch(HOST)],
    ['in a base', BASE, baseWith(HOST)],
    [
      'in the second document of a base',
      BASE,
      `${baseWith('other.acme.example')}---\n${patch(HOST)}`,
    ],
  ])('%s', async (_, file, text) => {
    await using portal = await openBoth({ [file]: text })
    expect(await take(portal, 'till', 'development')).toMatchObject(taken(file))
    expect((await take(portal, 'till', 'development', 'till.acme.example')).status).toBe(200)
  })

  test.each([
    ['a broken patch', `${OVERLAY}/dev/patch-xtenant-app.yaml`, `${patch(HOST)}a: [\n`],
    ['a file of another folder', `${OVERLAY}/dev/more/patch-xtenant-app.yaml`, patch(HOST)],
    [
      'a patch that lies beside the base',
      'apps/payments/shop/base/patch-xtenant-app.yaml',
      patch(HOST),
    ],
  ])('not by %s', async (_, file, text) => {
    await using portal = await openBoth({ [file]: text })
    expect((await take(portal, 'till', 'development')).status).toBe(200)
  })
})

test('the host of one’s own overlay is one’s own', async () => {
  await using portal = await openBoth({ [`${OVERLAY}/dev/patch-more.yaml`]: patch(HOST) })
  expect((await take(portal, 'shop', 'development')).status).toBe(200)
})

describe('the host of one’s own base', () => {
  const base = { [`${TILL}/base/xtenant-app.yaml`]: baseWith(HOST, 'till') }
  const { [TILL_ENTITY]: entity = '' } = applicationFiles({ app: 'till', lifecycle: 'development' })
  const overlay = {
    [TILL_ENTITY]: String(entity),
    [`${TILL}/overlays/dev/kustomization.yaml`]: 'resources: [../../base]\n',
  }

  test('can be written into an overlay', async () => {
    await using portal = await openBoth(base)
    expect((await take(portal, 'till', 'development')).status).toBe(200)
  })

  test('is taken when another environment has it from there, whatever else that one has', async () => {
    const database = 'spec:\n  parameters:\n    database:\n      name: till-db\n'
    const own = { [`${TILL}/overlays/dev/patch-xtenant-app.yaml`]: database }
    await using portal = await openBoth({ ...overlay, ...own, ...base })
    expect(await take(portal, 'till', 'staging')).toMatchObject(
      taken(`${TILL}/base/xtenant-app.yaml`),
    )
  })

  test.each(['patch-xtenant-app.yaml', 'patch-ingress.yaml'])(
    'is free when the other environment has its own in %s',
    async (file) => {
      const own = { [`${TILL}/overlays/dev/${file}`]: patch('till.dev.acme.example') }
      await using portal = await openBoth({ ...overlay, ...own, ...base })
      expect((await take(portal, 'till', 'staging')).status).toBe(200)
    },
  )
})
