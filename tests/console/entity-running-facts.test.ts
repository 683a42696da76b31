import { expect, test } from 'bun:test'
import {
  DOTS_MAX,
  dotsOf,
  parseImage,
  placesOf,
  readyWords,
  versionGap,
} from '#src/console/pages/entity/running-facts.ts'

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

const replicas = (ready: number, desired: number) => ({
  replicas: { desired, ready, updated: desired, available: ready, unavailable: 0 },
})

test('replicas are compared with git', () => {
  expect(readyWords(replicas(1, 2), 2)).toBe('1/2 ready')
  expect(readyWords(replicas(1, 2), 3)).toBe('1/2 ready (3 in git)')
  expect(readyWords(replicas(1, 2), undefined)).toBe('1/2 ready')
})

test('there is a dot for each replica, up to a limit', () => {
  expect(dotsOf(replicas(1, 3))).toStrictEqual([true, false, false])
  expect(dotsOf(replicas(3, 2))).toStrictEqual([true, true, true])
  expect(dotsOf(replicas(0, 500))).toHaveLength(DOTS_MAX)
})

test('pods are looked for where something is, and where one may look', () => {
  const place = (cluster: string, allowed: boolean | null) => ({
    cluster,
    namespace: 'payments-dev',
    labelSelector: 'app=shop',
    allowed,
  })
  const environment = (name: 'dev' | 'staging', overlay: boolean) => ({
    name,
    overlay,
    runsOn: [place('east', true), place('west', false), place('lab', null)],
  })
  expect(
    placesOf({ environments: [environment('dev', true), environment('staging', false)] }),
  ).toStrictEqual([
    { environment: 'dev', cluster: 'east', namespace: 'payments-dev', labelSelector: 'app=shop' },
  ])
})
