import { expect, test } from 'bun:test'
import type { HistoryRow } from '#src/console/pages/entity/history-words.ts'
import {
  changeTo,
  parseImage,
  placesOf,
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

const merged = (number: number | null, image: string | null): HistoryRow => ({
  environment: 'dev',
  kind: number === null ? 'manual' : 'release',
  image: image === null ? null : parseImage(image),
  previousImage: null,
  commit: 'a'.repeat(40),
  commitUrl: 'https://git.example/commit/a',
  at: '2026-11-20T08:00:00Z',
  askedBy: null,
  mergedBy: null,
  pullRequest:
    number === null
      ? null
      : { number, title: 'Release', url: `https://git.example/pulls/${number}`, state: 'merged' },
})
const history = [
  merged(9, 'ghcr.io/acme/shop:1.6.0@sha256:ff'),
  merged(8, null),
  merged(7, 'ghcr.io/acme/shop:1.5.0'),
  merged(null, 'ghcr.io/acme/shop:1.4.0'),
  merged(5, 'ghcr.io/acme/shop:1.5.0'),
  merged(4, 'ghcr.io/other/shop:1.3.0'),
]

// prettier-ignore
test.each([
  ['of its tag',                                    ['ghcr.io/acme/shop:1.5.0'], 7],
  ['beside another image',                          ['proxy:2', 'ghcr.io/acme/shop:1.5.0'], 7],
  ['whose tag git has with a digest',               ['ghcr.io/acme/shop:1.6.0'], 9],
  ['of its digest',                                 ['ghcr.io/acme/shop@sha256:ff'], 9],
  ['of the same tag with another digest',           ['ghcr.io/acme/shop:1.6.0@sha256:00'], null],
  ['that somebody pushed, without a pull request',  ['ghcr.io/acme/shop:1.4.0'], null],
  ['of the same tag of another image',              ['ghcr.io/acme/shop:1.3.0'], null],
  ['that git never had',                            ['ghcr.io/acme/shop:1.0.0'], null],
  ['without an image',                              [], null],
])('the pull request that made a revision %s', (_, images, number) => {
  expect(changeTo(images, history)?.pullRequest?.number ?? null).toBe(number)
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
