import { expect, test } from 'bun:test'
import { parseImage, placesOf, versionGap } from '#src/console/pages/entity/running-facts.ts'

test.each([
  ['ghcr.io/acme/shop:1.2.0', { name: 'ghcr.io/acme/shop', tag: '1.2.0', digest: null }],
  ['localhost:5000/shop', { name: 'localhost:5000/shop', tag: null, digest: null }],
  [
    'localhost:5000/shop:1@sha256:ff',
    { name: 'localhost:5000/shop', tag: '1', digest: 'sha256:ff' },
  ],
  ['shop@sha256:ff', { name: 'shop', tag: null, digest: 'sha256:ff' }],
])('image %s', (reference, expected) => {
  expect(parseImage(reference)).toStrictEqual(expected)
})

const git = { name: 'ghcr.io/acme/shop', tag: '1.6.0', digest: null }

test.each([
  ['the same tag', ['ghcr.io/acme/shop:1.6.0'], git, null],
  ['another tag', ['ghcr.io/acme/shop:1.5.0'], git, 'Runs 1.5.0, git says 1.6.0'],
  ['an image beside it', ['proxy:2', 'ghcr.io/acme/shop:1.6.0'], git, null],
  ['another image only', ['proxy:2'], git, null],
  ['nothing in git', ['ghcr.io/acme/shop:1.5.0'], null, null],
  [
    'the same tag with another digest',
    ['ghcr.io/acme/shop:1.6.0@sha256:00'],
    { ...git, digest: 'sha256:ff' },
    'Runs 1.6.0 with another digest than git says',
  ],
  ['a digest that only the cluster knows', ['ghcr.io/acme/shop:1.6.0@sha256:00'], git, null],
])('%s', (_, images, wanted, expected) => {
  expect(versionGap({ images }, wanted)).toBe(expected)
})

test('pods are looked for where something is, and where one may look', () => {
  const place = (cluster: string, allowed: boolean | null) => ({
    cluster,
    namespace: 'payments-dev',
    labelSelector: 'app=shop',
    allowed,
    canRestart: allowed,
  })
  const environment = (name: 'dev' | 'staging', overlay: boolean) => ({
    name,
    overlay,
    runsOn: [place('east', true), place('west', false), place('lab', null)],
  })
  expect(
    placesOf({ environments: [environment('dev', true), environment('staging', false)] }),
  ).toStrictEqual([
    {
      environment: 'dev',
      cluster: 'east',
      namespace: 'payments-dev',
      labelSelector: 'app=shop',
      canRestart: true,
    },
  ])
})
