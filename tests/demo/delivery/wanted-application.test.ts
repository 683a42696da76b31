import { describe, expect, test } from 'bun:test'
import { wantedApplication } from '#src/demo/delivery/wanted-application.ts'

const BASE = `apiVersion: platform.example.org/v1alpha1
kind: XTenantApp
metadata: { name: payments-shop }
spec:
  parameters:
    image: ghcr.io/acme/shop
    namespace: payments-dev
    replicas: 1
    resources: { requests: { cpu: 50m, memory: 64Mi }, limits: { cpu: 250m } }
`
const kustomization = (images: string) => `resources: [../../base]\n${images}\n`
const patch = (parameters: string) => `spec:\n  parameters: ${parameters}\n`
const place = { team: 'payments', app: 'shop', environment: 'staging' }

const wanted = (images = '', parameters = '{}', base = BASE) =>
  wantedApplication(place, {
    base,
    kustomization: kustomization(images),
    patch: patch(parameters),
  })

describe('an application', () => {
  test('is its base with the values of its overlay', () => {
    expect(
      wanted(
        'images: [{ name: ghcr.io/acme/shop, newTag: 1.10 }]',
        '{ namespace: payments-staging, replicas: 2, resources: { requests: { cpu: 1 } } }',
      ),
    ).toStrictEqual({
      ...place,
      namespace: 'payments-staging',
      image: 'ghcr.io/acme/shop:1.10',
      replicas: 2,
      resources: { requests: { cpu: '1', memory: '64Mi' }, limits: { cpu: '250m' } },
    })
  })

  test('is its base where the overlay says nothing', () => {
    expect(wanted()).toMatchObject({
      namespace: 'payments-dev',
      image: 'ghcr.io/acme/shop',
      replicas: 1,
    })
  })

  // prettier-ignore
  test.each([
    ['a tag and a digest', 'images: [{ name: ghcr.io/acme/shop, newTag: "1", digest: "sha256:ab" }]', 'ghcr.io/acme/shop:1@sha256:ab'],
    ['a digest',           'images: [{ name: ghcr.io/acme/shop, digest: "sha256:ab" }]',              'ghcr.io/acme/shop@sha256:ab'],
    ['another image',      'images: [{ name: ghcr.io/acme/other, newTag: "1" }]',                     'ghcr.io/acme/shop'],
  ])('has %s', (_, images, image) => {
    expect(wanted(images)?.image).toBe(image)
  })
})

// prettier-ignore
test.each<[string, Parameters<typeof wanted>]>([
  ['a namespace that is none',   ['', '{ namespace: "../kube-system" }']],
  ['more replicas than allowed', ['', '{ replicas: 1000000000 }']],
  ['replicas that are no number',['', '{ replicas: many }']],
  ['resources that are none',    ['', '{ resources: { limits: { cpu: [1] } } }']],
  ['a patch without parameters', ['', 'null']],
  ['a base of two documents',    ['', '{}', `${BASE}---\n${BASE}`]],
  ['a base that is no YAML',     ['', '{}', 'a: "b']],
  ['no image',                   ['', '{}', BASE.replace(/ +image.*\n/, '')]],
  ['a broken list of images',    ['images: [', '{}']],
])('with %s there is no application', (_, files) => {
  expect(wanted(...files)).toBeUndefined()
})

test('without one of its files there is no application', () => {
  const files = { base: BASE, kustomization: kustomization(''), patch: patch('{}') }
  for (const name of ['base', 'kustomization', 'patch'] as const) {
    expect(wantedApplication(place, { ...files, [name]: undefined })).toBeUndefined()
  }
})
