import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { openPortal, type TestPortal } from '#tests/support/portal.ts'
import { ask, OVERLAY } from '#tests/support/promotion.ts'

const HOST = 'shop.acme.example'
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

const PATCH = 'overlays/dev/patch-xtenant-app.yaml'
type Row = readonly [file: string, textOf: (host: string) => string]

const CLAIMS: readonly Row[] = [
  [PATCH, patch],
  // In any case, with its root.
  [PATCH, (host) => patch(`${host.replace('acme', 'ACME')}.`)],
  [PATCH, (host) => `${patch('other.acme.example')}---\n${patch(host)}`],
  [PATCH, (host) => `# nothing\n---\nkind: Other\n---\n${patch(host)}`],
  ['overlays/dev/patch-ingress.yml', patch],
  ['base/xtenant-app.yaml', (host) => baseWith(host)],
  ['base/xtenant-app.yaml', (host) => `${baseWith('one.acme.example')}---\n${patch(host)}`],
]
/** A broken patch, one in another folder, and one beside the base. */
const NO_CLAIMS: readonly Row[] = [
  [PATCH, (host) => `${patch(host)}a: [\n`],
  ['overlays/dev/more/patch-xtenant-app.yaml', patch],
  ['base/patch-xtenant-app.yaml', patch],
]

test('a host is taken by a patch or a base, in any of its documents, and by nothing else', async () => {
  const rows = [...CLAIMS, ...NO_CLAIMS].map(([file, textOf], index) => {
    const host = `h${index}.acme.example`
    return { host, path: `apps/payments/other-${index}/${file}`, text: textOf(host) }
  })
  const others = Object.fromEntries(rows.map(({ path, text }) => [path, text]))
  await using portal = await openPortal({
    files: { ...applicationFiles({ app: 'till' }), ...others },
  })
  for (const [index, { host, path }] of rows.entries()) {
    expect(await take(portal, 'till', 'development', host)).toMatchObject(
      index < CLAIMS.length ? taken(path) : { status: 200 },
    )
  }
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
