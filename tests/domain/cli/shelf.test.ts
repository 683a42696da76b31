import { expect, test } from 'bun:test'
import { shelve } from '#src/lib/domain/cli/shelf.ts'
import type { Release } from '#src/lib/ports/git-host.ts'

let published = 0
const release = (tag: string, more: Partial<Release> = {}): Release => ({
  tag,
  name: tag,
  notes: '',
  draft: false,
  prerelease: false,
  publishedAt: (published += 1),
  assets: [],
  ...more,
})

const shown = (releases: readonly Release[]) =>
  shelve(releases, 'devx').map(
    ({ tag, latest, prerelease }) =>
      `${tag}${latest ? ' latest' : ''}${prerelease ? ' pre-release' : ''}`,
  )

test('newest version first, not newest publication, and only those of the prefix', () => {
  expect(
    shown([
      release('devx-v1.10.0'),
      release('devx-v1.9.9'),
      release('devx-agent-v9.0.0'),
      release('api-v5.0.0'),
      release('devx-nightly'),
      release('devx-v1.2.0'),
    ]),
  ).toStrictEqual(['devx-v1.10.0 latest', 'devx-v1.9.9', 'devx-v1.2.0'])
})

test('a draft is left out', () => {
  expect(
    shown([release('devx-v2.0.0', { draft: true, publishedAt: null }), release('devx-v1.0.0')]),
  ).toStrictEqual(['devx-v1.0.0 latest'])
})

test('a pre-release is never the latest, whether the host or its version says so', () => {
  expect(
    shown([
      release('devx-v2.0.0', { prerelease: true }),
      release('devx-v3.0.0-rc.1'),
      release('devx-v1.0.0'),
    ]),
  ).toStrictEqual(['devx-v3.0.0-rc.1 pre-release', 'devx-v2.0.0 pre-release', 'devx-v1.0.0 latest'])
  expect(shown([release('devx-v2.0.0-rc.1')])).toStrictEqual(['devx-v2.0.0-rc.1 pre-release'])
})

test('of two tags of one version the later publication counts', () => {
  const [older, newer] = [release('devx-1.0.0'), release('devx-v1.0.0')]
  const expected = ['devx-v1.0.0 latest']
  expect(shown([older, newer])).toStrictEqual(expected)
  expect(shown([newer, older])).toStrictEqual(expected)
})

test.each([1e17, -1, Number.NaN, Infinity, Date.UTC(10_000, 0)])(
  'a release of the impossible time %d is left out',
  (publishedAt) => {
    expect(shown([release('devx-v2.0.0', { publishedAt }), release('devx-v1.0.0')])).toStrictEqual([
      'devx-v1.0.0 latest',
    ])
  },
)

test('a release may have no time', () => {
  expect(shown([release('devx-v1.0.0', { publishedAt: null })])).toStrictEqual([
    'devx-v1.0.0 latest',
  ])
})

test('nothing is nothing', () => {
  expect(shelve([], 'devx')).toStrictEqual([])
})
