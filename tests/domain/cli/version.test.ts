import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { newestFirst, parseVersion, versionOfTag } from '#src/lib/domain/cli/version.ts'

test.each([
  ['portico-v1.4.0', '1.4.0'],
  ['portico-1.4.0', '1.4.0'],
  ['portico-v1.5.0-rc.1', '1.5.0-rc.1'],
  ['portico-v1.5.0+build.7', '1.5.0+build.7'],
  ['portico-v999999999.0.0', '999999999.0.0'],
])('the tag %s is version %s', (tag, version) => {
  expect(versionOfTag(tag, 'portico')?.text).toBe(version)
})

test.each([
  'portico',
  'portico-',
  'portico-v',
  'portico-vv1.0.0',
  'portico-v1',
  'portico-v1.2',
  'portico-v1.2.3.4',
  'portico-v01.2.3',
  'portico-v1.2.3-',
  'portico-v1.2.3-01',
  'portico-v1.2.3-rc..1',
  'portico-v1.2.3\n',
  'portico-v1234567890.0.0',
  'portico-v1.0.0-1234567890123456',
  `portico-v1.2.3-${'a'.repeat(100)}`,
  'portico-agent-v9.0.0',
  'porticov1.2.3',
  'v1.2.3',
  'other-v1.2.3',
])('the tag %j is no version of it', (tag) => {
  expect(versionOfTag(tag, 'portico')).toBeUndefined()
})

test.each([
  ['1.0.0', false],
  ['1.0.0+a-b', false],
  ['1.0.0-rc.1', true],
  ['1.0.0-0', true],
  ['1.0.0-rc+a', true],
])('%s is a pre-release: %p', (text, prerelease) => {
  expect(parseVersion(text)).toStrictEqual({ text, prerelease })
})

/** Precedence of semver.org §11, with common mistakes. */
const ASCENDING = [
  '0.9.9',
  '1.0.0-0',
  '1.0.0-9',
  '1.0.0-10',
  '1.0.0-999999999999998',
  '1.0.0-999999999999999',
  '1.0.0--1',
  '1.0.0-1a',
  '1.0.0-A',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.9.9',
  '1.10.0',
  '2.0.0-rc.1',
  '2.0.0',
  '999999999.0.0',
]
const versions = ASCENDING.map((text) => {
  const version = parseVersion(text)
  if (version === undefined) throw new Error(text)
  return version
})

test('versions are in order of precedence, however they came', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(versions, { minLength: versions.length }), (shuffled) => {
      expect(shuffled.toSorted(newestFirst).map(({ text }) => text)).toStrictEqual(
        ASCENDING.toReversed(),
      )
    }),
  )
})
