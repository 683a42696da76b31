import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ageWords, exactWords, nextChangeMs, relativeWords } from '#src/console/ui/time-words.ts'

const NOW = Date.parse('2026-11-23T15:27:09.250Z')
const S = 1_000
const MIN = 60 * S
const H = 60 * MIN
const DAY = 24 * H

test.each([
  [0, 'just now', '<1m'],
  [-59 * S, 'just now', '<1m'],
  [-MIN, '1 min ago', '1m'],
  [-3 * MIN - 59 * S, '3 min ago', '3m'],
  [-59 * MIN, '59 min ago', '59m'],
  [-H, '1 h ago', '1h'],
  [-23 * H, '23 h ago', '23h'],
  [-DAY, '1 day ago', '1d'],
  [-29 * DAY, '29 days ago', '29d'],
  [-30 * DAY, '1 month ago', '1mo'],
  [-364 * DAY, '12 months ago', '12mo'],
  [-365 * DAY, '1 year ago', '1y'],
  [-800 * DAY, '2 years ago', '2y'],
  [30 * S, 'just now', '<1m'],
  [MIN, 'in 1 min', '<1m'],
  [2 * DAY + H, 'in 2 days', '<1m'],
])('%d ms from now', (distanceMs, relative, age) => {
  expect(relativeWords(NOW + distanceMs, NOW)).toBe(relative)
  expect(ageWords(NOW + distanceMs, NOW)).toBe(age)
})

describe('the next change', () => {
  const instant = fc.integer({ min: -3_000 * DAY, max: 3_000 * DAY }).map((ms) => NOW + ms)

  test('is when the words change, and not before', () => {
    fc.assert(
      fc.property(instant, (at) => {
        const next = nextChangeMs(at, NOW)
        const words = (now: number) => [relativeWords(at, now), ageWords(at, now)].join()
        expect(next).toBeGreaterThan(NOW)
        expect(words(next - 1)).toBe(words(NOW))
        expect(words(next)).not.toBe(words(NOW))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    [0, MIN],
    [-90 * S, 30 * S],
    [90 * S, 30 * S + 1],
    [30 * S, 90 * S],
    [-364 * DAY, DAY],
  ])('of %d ms is in %d ms', (distanceMs, nextMs) => {
    expect(nextChangeMs(NOW + distanceMs, NOW) - NOW).toBe(nextMs)
  })
})

test('an exact time names its zone', () => {
  expect(exactWords(NOW, 'UTC')).toBe('23 Nov 2026, 15:27:09 UTC')
  expect(exactWords(NOW, 'Europe/Berlin')).toBe('23 Nov 2026, 16:27:09 CET')
  expect(exactWords(NOW)).toContain('2026')
})
