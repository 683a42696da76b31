import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { commitFiles } from '#tests/support/commit-files.ts'
import { GITOPS, openPortal } from '#tests/support/portal.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { kustomizeAll } from '#tests/support/kustomize.ts'
import {
  ask,
  confirm,
  ENTITY,
  fileAt,
  OVERLAY,
  preview,
  promote,
  state,
} from '#tests/support/promotion.ts'
import { valueOf } from '#tests/support/value-of.ts'

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

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - {name: shop, image: 'ghcr.io/acme/shop:0.9'}
`
const SERVICE =
  'apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {selector: {app: shop}}\n'

describe('an application of plain manifests', () => {
  const index = (more = '') =>
    `namespace: payments\nresources: [deployment.yaml, service.yaml]\n${more}`
  const plainFiles = (more?: string, deployment = DEPLOYMENT) => ({
    [ENTITY]: applicationFiles()[ENTITY] ?? '',
    'apps/payments/shop/base/kustomization.yaml': index(more),
    'apps/payments/shop/base/deployment.yaml': deployment,
    'apps/payments/shop/base/service.yaml': SERVICE,
  })

  test('is promoted and released by its image and its replicas', async () => {
    const files = plainFiles()
    await using portal = await openPortal({ files })
    const built = async () => {
      const path = `${OVERLAY}/dev/kustomization.yaml`
      if (kubectl === null) return undefined
      const all = { ...files, [path]: await fileAt(portal, path) }
      return kustomizeAll(all, `${OVERLAY}/dev`)
    }
    const objects = (tag: string, replicas: number) => {
      const metadata = { name: 'shop', namespace: 'payments-dev' }
      const containers = [{ name: 'shop', image: `ghcr.io/acme/shop:${tag}` }]
      const spec = { replicas, template: { spec: { containers } } }
      return [
        { kind: 'Service', metadata },
        { kind: 'Deployment', metadata, spec },
      ]
    }
    expect((await state(portal)).body).toMatchObject({
      promotable: true,
      settings: ['replicas'],
    })
    const wish = { image: { tag: '1.10' }, replicas: 2 }
    expect(await promote(portal, 'development', wish)).toMatchObject({
      status: 201,
      body: {
        files: [`${OVERLAY}/dev/kustomization.yaml`],
        image: { name: 'ghcr.io/acme/shop', tag: '1.10' },
      },
    })
    await portal.merge(1)
    if (kubectl !== null) expect(await built()).toMatchObject(objects('1.10', 2))
    expect((await state(portal)).body).toMatchObject({
      imageTags: { dev: '1.10' },
      environments: [{ state: 'ready_to_confirm', config: { replicas: 2 } }, {}, {}],
    })
    expect(await confirm(portal)).toMatchObject({ body: { status: 'confirmed' } })

    const next = { image: { tag: '1.11' }, replicas: 3 }
    expect(await promote(portal, 'development', next)).toMatchObject({
      status: 201,
      body: { kind: 'release' },
    })
    await portal.merge(2)
    if (kubectl !== null) expect(await built()).toMatchObject(objects('1.11', 3))
    const history = await ask(portal, 'GET', '/history?environment=dev', 'dev')
    expect(history.body).toMatchObject([
      { kind: 'release', image: { tag: '1.11' }, previousImage: { tag: '1.10' } },
      { kind: 'promotion', image: { tag: '1.10' } },
    ])
    const matrix = await portal.request('/api/v1/environments', { as: 'dev' })
    expect(await matrix.json()).toMatchObject([
      { environments: [{ name: 'dev', state: 'live', image: { tag: '1.11' } }, {}, {}] },
    ])
    expect(await preview(portal, 'staging')).toMatchObject({
      body: { image: { tag: '1.11', carriedFrom: 'dev' } },
    })
  })

  test('has no settings of an XTenantApp', async () => {
    await using portal = await openPortal({
      files: plainFiles('', DEPLOYMENT.replace('Deployment', 'DaemonSet')),
    })
    const wish = { replicas: 2, ingress: { host: 'a.example' }, database: { tier: 'shared' } }
    const refused = (name: string) => ({ path: `/overlayConfig/${name}`, rule: 'supported' })
    expect(await promote(portal, 'development', wish)).toMatchObject({
      status: 422,
      body: { errors: ['replicas', 'ingress', 'database'].map(refused) },
    })
    expect(await promote(portal, 'development')).toMatchObject({ status: 201 })
  })

  test('keeps the name that its overlays give to the image', async () => {
    // As `kustomize edit set image shop=registry.example/acme/shop:1.4` writes it.
    const dev =
      'resources: [../../base]\nimages:\n- name: shop\n  newName: registry.example/acme/shop\n  newTag: "1.4"\n'
    const files = {
      ...plainFiles('', DEPLOYMENT.replace('ghcr.io/acme/shop:0.9', 'shop')),
      [`${OVERLAY}/dev/kustomization.yaml`]: dev,
    }
    await using portal = await openPortal({ files })
    expect((await state(portal)).body).toMatchObject({
      environments: [{ image: { name: 'registry.example/acme/shop', tag: '1.4' } }, {}, {}],
    })
    expect((await ask(portal, 'GET', '/history?environment=dev', 'dev')).body).toMatchObject([
      { image: { name: 'registry.example/acme/shop', tag: '1.4' } },
    ])
    await confirm(portal)
    expect(await promote(portal, 'staging')).toMatchObject({
      status: 201,
      body: { image: { name: 'registry.example/acme/shop', tag: '1.4', carriedFrom: 'dev' } },
    })
    expect(await preview(portal, 'development', { image: { tag: '1.5' } })).toMatchObject({
      body: { image: { name: 'registry.example/acme/shop', tag: '1.5' } },
    })
    const path = `${OVERLAY}/staging/kustomization.yaml`
    const branch = 'promote/payments/shop/staging'
    const proposed = await fileAt(portal, path, branch)
    const mirrored = proposed.replace('registry.example', 'mirror.example')
    valueOf(await commitFiles(portal.host, GITOPS, { [path]: mirrored }, { branch }))
    expect(await preview(portal, 'staging')).toMatchObject({
      body: { image: { name: 'mirror.example/acme/shop', tag: '1.4' } },
    })
    valueOf(await commitFiles(portal.host, GITOPS, { [path]: proposed }, { branch }))
    await portal.merge(1)
    const kustomization = await fileAt(portal, path)
    expect(kustomization).toContain('newName: registry.example/acme/shop')
    if (kubectl === null) return
    const built = await kustomizeAll({ ...files, [path]: kustomization }, `${OVERLAY}/staging`)
    expect(JSON.stringify(built)).toContain('"image":"registry.example/acme/shop:1.4"')
  })

  test('needs one image, and the refusal has the line to add', async () => {
    const more = "        - {name: proxy, image: 'envoy:1'}\n"
    await using portal = await openPortal({ files: plainFiles('', DEPLOYMENT + more) })
    const line = 'images: [{ name: ghcr.io/acme/shop }]'
    expect(await promote(portal, 'development')).toMatchObject({
      status: 409,
      body: { reason: 'base_unusable', detail: expect.stringContaining(`"${line}"`) },
    })
    await portal.commit({ 'apps/payments/shop/base/kustomization.yaml': index(`${line}\n`) })
    expect(await promote(portal, 'development')).toMatchObject({ status: 201 })
  })
})
