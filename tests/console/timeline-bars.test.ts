import { expect, test } from 'bun:test'
import type { HistoryRow } from '#src/console/pages/entity/history-words.ts'
import { timelineOf } from '#src/console/pages/entity/timeline-bars.ts'

const NOW = Date.parse('2026-11-28T00:00:00Z')
const DAY_MS = 86_400_000

const row = (daysAgo: number | null, tag: string | null): HistoryRow => ({
  environment: 'dev',
  kind: 'release',
  image: tag === null ? null : { name: null, tag, digest: null },
  previousImage: null,
  commit: 'a'.repeat(40),
  commitUrl: '',
  at: daysAgo === null ? null : new Date(NOW - daysAgo * DAY_MS).toISOString(),
  askedBy: null,
  mergedBy: null,
  pullRequest: null,
})

/** Each bar as its version and its share of 180 days; `-`: nothing runs. */
test.each<[string, HistoryRow[], string]>([
  ['nothing', [], '- 180'],
  ['one version, and nothing before it', [row(45, '1')], '- 135, 1 45'],
  ['older than the line', [row(9, '2'), row(400, '1')], '1 171, 2 9'],
  ['a change of settings', [row(9, '2'), row(18, '2'), row(400, '1')], '1 162, 2 18'],
  ['a version that was removed', [row(9, null), row(400, '1')], '1 171, - 9'],
  [
    'rows without a time, and out of order',
    [row(null, '3'), row(9, '2'), row(5, '1')],
    '- 171, 2 9',
  ],
])('%s', (_, rows, bars) => {
  const shown = timelineOf(rows, NOW).map(
    ({ version, share }) => `${version ?? '-'} ${Math.round(share * 180)}`,
  )
  expect(shown.join(', ')).toBe(bars)
})
