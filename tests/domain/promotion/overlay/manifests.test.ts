import { describe, expect, test } from 'bun:test'
import type { Image, OverlayConfig } from '#src/lib/domain/gitops/overlay.ts'
import { baseOf, claimsIn, overlayIn } from '#src/lib/domain/promotion/overlay/manifests.ts'

const BASE = {
  apiVersion: 'acme/v1',
  kind: 'XTenantApp',
  name: 'payments-shop',
  image: 'shop',
  namespace: 'payments',
  database: true,
  resources: {},
}
const imageIn = (kustomization: string) => overlayIn(BASE, kustomization, undefined).image

const images = (...entries: readonly string[]) =>
  `resources: [../../base]\nimages:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`

describe('the image of an overlay', () => {
  // prettier-ignore
  test.each<[string, string, Image | null]>([
    ['a tag',                 images('{name: shop, newTag: 1.10}'),                   { tag: '1.10', digest: null }],
    ['a digest',              images('{name: shop, digest: sha256:0a}'),              { tag: null, digest: 'sha256:0a' }],
    ['both',                  images('{name: shop, newTag: 0777, digest: sha256:0}'), { tag: '0777', digest: 'sha256:0' }],
    ['neither',               images('{name: shop, newName: mirror/shop}'),           { tag: null, digest: null }],
    ['nulls',                 images('{name: shop, newTag: ~, digest: null}'),        { tag: null, digest: null }],
    ['empty texts',           images(`{name: shop, newTag: '', digest: ""}`),         { tag: null, digest: null }],
    ['a list',                images('{name: shop, newTag: [1]}'),                    { tag: null, digest: null }],
    ['one of many',           images('{name: a, newTag: 1}', '{name: shop, newTag: 2}', '{name: b, newTag: 3}'), { tag: '2', digest: null }],
    ['the last of two, as kustomize has it', images('{name: shop, newTag: 2}', '{name: shop, newTag: 3}', '{name: shop, newName: mirror/shop}'), { tag: '3', digest: null }],
    ['the last of thousands, in one reading', images(...Array<string>(3_000).fill('{name: shop}'), '{name: shop, newTag: 3}'), { tag: '3', digest: null }],
    ['an alias',              `tag: &t 1\n${images('{name: shop, newTag: *t}')}`,       { tag: null, digest: null }],
    ['a list that is an alias', `a: &a [{name: shop, newTag: 1}]\nimages: *a\n`,       { tag: null, digest: null }],
    ['another’s',             images('{name: till, newTag: 1}'),                      null],
    ['none',                  'resources: []\n',                                      null],
    ['images that are no list', 'images: {name: shop, newTag: 1}\n',                  null],
    ['a document marker at the end', `---\n${images('{name: shop, newTag: 1}')}---\n`, { tag: '1', digest: null }],
    ['two documents',         `${images('{name: shop, newTag: 1}')}---\na: 1\n`,      null],
    ['a broken file',         'images: [',                                            null],
  ])('%s', (_, text, image) => {
    expect(imageIn(text)).toStrictEqual(image)
  })

  test('is the tag as it is written, and none where YAML has none', () => {
    const tagOf = (written: string) =>
      imageIn(`images:\n  - name: shop\n    newTag: ${written}\n`)?.tag
    for (const tag of ['1.10', '0777', '12345e7', '1_000', '.inf', 'true']) {
      expect(tagOf(tag)).toBe(tag)
    }
    expect([tagOf('"~"'), tagOf("'null'")]).toStrictEqual(['~', 'null'])
    expect(['~', 'null', 'Null', '""', '', "''"].map(tagOf)).toStrictEqual(
      Array<null>(6).fill(null),
    )
  })
})

const INDEX = 'resources: [xtenant-app.yaml]'

/** A workload with these images. */
const workload = (kind: string, name: string, ...images: readonly string[]) =>
  `kind: ${kind}\nmetadata: {name: ${name}}\nspec: {template: {spec: {containers: ${JSON.stringify(images.map((image) => ({ image })))}}}}\n`
const CRON = `kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: {initContainers: [{image: 'b:1'}]}}}}}\n`
const ONE = workload('Deployment', 'shop', 'ghcr.io/acme/shop:1.0@sha256:0', 'ghcr.io/acme/shop:2')
const TWO = workload('Deployment', 'shop', 'ghcr.io/acme/shop', 'envoy:1')
const plain = (facts: object) => ({
  kind: null,
  image: 'ghcr.io/acme/shop',
  namespace: null,
  workload: 'shop',
  database: false,
  resources: {},
  ...facts,
})
const line = (image: string) => `"images: [{ name: ${image} }]" to base/kustomization.yaml`

const LONG = '#'.repeat(65_536)

describe('a base of plain manifests', () => {
  // prettier-ignore
  test.each<[string, string, Readonly<Record<string, string>>, object | string]>([
    ['one image, with every tag', 'resources: [./a.yaml]', { 'a.yaml': ONE }, plain({})],
    ['a document marker at the end', 'resources: [a.yaml]\n---\n', { 'a.yaml': ONE }, plain({})],
    ['a namespace', 'resources: [a.yaml]\nnamespace: payments', { 'a.yaml': ONE }, plain({ namespace: 'payments' })],
    ['a namespace of its manifests', 'resources: [a.yaml]', { 'a.yaml': `${ONE}---\nmetadata: {namespace: x}\n` }, plain({ namespace: 'x' })],
    ['an image that is renamed', 'resources: [a.yaml]\nimages: [{name: ghcr.io/acme/shop, newName: mirror/shop}]', { 'a.yaml': ONE }, plain({ image: 'mirror/shop' })],
    ['several images, and which one', 'resources: [a.yaml]\nimages: [{name: envoy}]', { 'a.yaml': TWO }, plain({ image: 'envoy' })],
    ['manifests elsewhere, and which image', 'resources: [../x]\nimages: [{name: shop}]', {}, plain({ image: 'shop', workload: null })],
    ['components, and which image', 'components: [../x]\nimages: [{name: shop}]', {}, plain({ image: 'shop', workload: null })],
    ['a chart beside manifests, and which image', 'helmCharts: [{name: shop}]\nresources: [a.yaml]\nimages: [{name: shop}]', { 'a.yaml': CRON }, plain({ image: 'shop', workload: null })],
    ['components beside manifests, and which image', 'components: [../x]\nresources: [a.yaml]\nimages: [{name: shop}]', { 'a.yaml': CRON }, plain({ image: 'shop', workload: null })],
    ['several workloads', 'resources: [a.yaml, b.yaml]', { 'a.yaml': ONE, 'b.yaml': workload('StatefulSet', 'till', 'ghcr.io/acme/shop') }, plain({ workload: null })],
    ['other names than its manifests', 'resources: [a.yaml]\nnamePrefix: x-', { 'a.yaml': ONE }, plain({ workload: null })],
    ['several images', 'resources: [a.yaml]', { 'a.yaml': TWO }, `several images are found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
    ['another image in a job', 'resources: [a.yaml, b.yaml]', { 'a.yaml': ONE, 'b.yaml': CRON }, `several images are found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
    ['a file that is no resource', 'resources: [a.yaml]', { 'a.yaml': 'kind: Service\n', 'b.yaml': ONE }, `no image is found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
    ['an image that is no name', 'resources: [a.yaml]', { 'a.yaml': workload('Pod', 'a', 'a b', 'c') }, `several images are found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
    ['two entries', 'resources: [a.yaml]\nimages: [{name: a}, {name: b}]', { 'a.yaml': TWO }, 'base/kustomization.yaml has more than one entry in images: keep only that of the application'],
    ['an entry of no container', 'resources: [a.yaml]\nimages: [{name: a}]', { 'a.yaml': ONE }, 'base/kustomization.yaml has an image in images that no container of base has'],
    ['several namespaces', 'resources: [a.yaml]', { 'a.yaml': `${ONE}---\nmetadata: {namespace: x}\n---\nmetadata: {namespace: y}\n` }, 'several namespaces are found in base: add "namespace: x" to base/kustomization.yaml'],
    ['several namespaces that are no names', 'resources: [a.yaml]', { 'a.yaml': `${ONE}---\nmetadata: {namespace: "x\\n\\u202e"}\n---\nmetadata: {namespace: y}\n` }, 'several namespaces are found in base: add "namespace: shop" to base/kustomization.yaml'],
    ['an image behind very much else', 'resources: [b.yaml, c.yaml, a.yaml]', { 'a.yaml': ONE, 'b.yaml': LONG, 'c.yaml': LONG }, `no image is found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
    ['the same file twice', 'resources: [b.yaml, b.yaml, a.yaml]', { 'a.yaml': ONE, 'b.yaml': LONG }, plain({})],
    ['nothing', 'resources: []', {}, `no image is found in the containers of base: add ${line('ghcr.io/acme/shop')}`],
  ])('%s', (_, index, files, expected) => {
    const base: unknown = baseOf(undefined, index, (name) => files[name])
    expect(base).toStrictEqual(
      typeof expected === 'string' ? { ok: false, error: expected } : { ok: true, value: expected },
    )
  })
})
const patch = (parameters: string) => `spec:\n  parameters: ${parameters}\n`

describe('what a patch sets', () => {
  // prettier-ignore
  test.each<[string, string | undefined, OverlayConfig]>([
    ['no patch',            undefined,                                                 {}],
    ['nothing',             '',                                                        {}],
    ['everything',          patch('{replicas: 2, resources: {limits: {cpu: 1}}, ingress: {host: a.b}, database: {tier: shared, name: x}}'),
                            { replicas: 2, resources: { limits: { cpu: 1 } } as object, ingress: { host: 'a.b' }, database: { tier: 'shared', name: 'x' } }],
    ['of other types',      patch('{replicas: two, ingress: a.b, database: {tier: huge}}'), {}],
    ['what is no number of JSON', patch('{replicas: .inf}'),                           {}],
    ['in two documents',    `${patch('{replicas: 2}')}---\n${patch('{ingress: {host: a.b}, replicas: 3}')}`, { replicas: 3, ingress: { host: 'a.b' } }],
    ['beside other kinds',  `kind: Other\n---\n- list\n---\n${patch('{replicas: 2}')}`, { replicas: 2 }],
    ['in a broken file',    `${patch('{replicas: 2}')}---\n[`,                         {}],
  ])('%s', (_, text, config) => {
    expect(overlayIn(BASE, undefined, text).config).toStrictEqual(config)
  })

  // prettier-ignore
  test.each<[string, string, readonly string[]]>([
    ['none',                patch('{replicas: 2}'),                                    []],
    ['one',                 patch('{ingress: {host: a.b}}'),                           ['a.b']],
    ['in every document',   `${patch('{ingress: {host: a.b}}')}---\nx: y\n---\n${patch('{ingress: {host: c.d}}')}`, ['a.b', 'c.d']],
    ['that is no text',     patch('{ingress: {host: [a.b]}}'),                         []],
    ['elsewhere',           'ingress: {host: a.b}\n',                                  []],
    ['and a database',      patch('{ingress: {host: A.b.}, database: {tier: shared, name: x}}'), ['a.b', 'x']],
    ['or none with a name', patch('{database: {tier: shared, name: [x]}}'),            []],
  ])('claims: %s', (_, text, hosts) => {
    expect(claimsIn(text).map(({ name }) => name)).toStrictEqual([...hosts])
  })
})

describe('a base', () => {
  const resource = (image: string) =>
    `apiVersion: p/v1\nkind: X\nmetadata: {name: n}\nspec: {parameters: {image: "${image}", namespace: s}}\n`

  test.each([
    ['ghcr.io/acme/shop', 'ghcr.io/acme/shop'],
    ['ghcr.io:443/acme/shop', 'ghcr.io:443/acme/shop'],
    ['ghcr.io:443/acme/shop:1.2', 'ghcr.io:443/acme/shop'],
    ['shop:1.2@sha256:00', 'shop'],
  ])('%s is of the image %s', (image, name) => {
    expect(baseOf(resource(image), 'resources: [xtenant-app.yaml]')).toMatchObject({
      value: { image: name },
    })
  })

  test.each([
    ['there is no readable base/xtenant-app.yaml', undefined, INDEX],
    ['base/xtenant-app.yaml is not one document of YAML', '{', INDEX],
    [
      'base/xtenant-app.yaml is not one document of YAML',
      `${resource('a')}---\n${resource('b')}`,
      INDEX,
    ],
    ['there is no readable base/kustomization.yaml', resource('a'), undefined],
    [
      'base/kustomization.yaml does not have xtenant-app.yaml among its resources',
      resource('a'),
      'resources: [other.yaml]',
    ],
    ['base/xtenant-app.yaml has no spec.parameters.image', resource(''), INDEX],
    [
      'base/xtenant-app.yaml has no apiVersion, no metadata.name, no spec.parameters.namespace',
      'kind: X\nspec: {parameters: {image: a}}\n',
      INDEX,
    ],
  ])('lacks something: %s', (missing, text, kustomization) => {
    expect(baseOf(text, kustomization)).toStrictEqual({ ok: false, error: missing })
  })
})

test('the path of secrets is the last that a patch names, whatever else its documents have', () => {
  const secrets = (members: string) => `spec: {parameters: {externalSecrets: {${members}}}}\n`
  const secretPathIn = (patch: string) => overlayIn(BASE, undefined, patch).secretPath
  const named = [secrets('path: a'), secrets('path: b')]
  expect(secretPathIn([...named, secrets('refresh: 1h')].join('---\n'))).toBe('b')
  expect(secretPathIn(secrets('path: [c]'))).toBeUndefined()
})
