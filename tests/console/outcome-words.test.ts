import { expect, test } from 'bun:test'
import {
  confirmedByMove,
  nextSteps,
  type Outcome,
  outcomeOfMove,
  outcomeTitle,
} from '#src/console/pages/entity/acts/outcome-words.ts'
import { type HistoryRow, rollbackRows } from '#src/console/pages/entity/acts/rollback-rows.ts'

const opened: Outcome = {
  kind: 'promotion',
  status: 'pr_open',
  created: true,
  updated: false,
  environment: 'staging',
  targetLifecycle: 'staging',
  pullRequest: { number: 42, title: 'T', url: 'https://git.example.org/42', state: 'open' },
  branch: 'promote/payments/payments-api/staging',
  commit: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  files: [],
  image: null,
  secrets: null,
  warnings: [],
}
const merged = { ...opened, status: 'ready_to_confirm', pullRequest: null } as const
const secrets = {
  ...opened,
  kind: 'release',
  status: 'secrets_written',
  pullRequest: null,
} as const

const titles: readonly [Outcome, string][] = [
  [opened, 'Pull request #42 is open'],
  [{ ...opened, created: false, updated: true }, 'Pull request #42 is updated'],
  [{ ...opened, created: false }, 'Pull request #42 already has these changes'],
  [merged, 'Already merged'],
  [secrets, 'Secrets written'],
]
test.each(titles)('%j is titled %s', (outcome, title) => {
  expect(outcomeTitle(outcome)).toBe(title)
})

const REVIEW = 'Review and merge happen at the git host.'
const CONFIRM = 'Then platform-team or payments:Managers confirms staging here.'
const LIVE = 'It goes live in staging when it is merged.'
const steps: readonly [Outcome, readonly string[]][] = [
  [opened, [REVIEW, CONFIRM]],
  [merged, [CONFIRM]],
  [{ ...opened, kind: 'release' }, [REVIEW, LIVE]],
  [
    { ...opened, kind: 'deprecation', environment: null, targetLifecycle: 'deprecated' },
    [REVIEW, 'Merging deprecates it. What runs keeps running.'],
  ],
  [secrets, ['There is no pull request to merge.']],
]
test.each(steps)('what follows %j', (outcome, next) => {
  expect(nextSteps(outcome, ['platform-team', 'payments:Managers'])).toStrictEqual(next)
})

test('a promotion to an environment that the lifecycle has passed is not confirmed', () => {
  expect(nextSteps(opened, null)).toStrictEqual([REVIEW, LIVE])
})

const image = (tag: string | null, digest: string | null = null) => ({ name: 'x', tag, digest })
const row = (commit: string, tag: string | null, digest: string | null = null): HistoryRow => ({
  environment: 'dev',
  kind: 'release',
  image: image(tag, digest),
  previousImage: null,
  commit,
  commitUrl: `https://git.example.org/${commit}`,
  at: '2026-11-21T09:30:00.000Z',
  askedBy: null,
  mergedBy: null,
  pullRequest: null,
})
const history = [row('e', '3'), row('d', '2'), row('c', '1'), row('b', '2'), row('a', null)]
const commits = (asked: string | null, now: string | null = '3') =>
  rollbackRows(history, now === null ? null : image(now), asked).map(({ commit }) => commit)

test('an image that ran before is offered once, and never the present one', () => {
  expect(commits(null)).toStrictEqual(['d', 'c'])
  expect(commits(null, null)).toStrictEqual(['e', 'd', 'c'])
  expect(commits('b')).toStrictEqual(['c', 'b'])
  expect(commits('nothing')).toStrictEqual(['d', 'c'])
  expect(commits('e')).toStrictEqual(['d', 'c'])
})

test('two digests of a tag are two images', () => {
  const rows = [row('b', '1', 'sha256:b'), row('a', '1', 'sha256:a')]
  expect(rollbackRows(rows, image('1', 'sha256:b'), null)).toStrictEqual(rows.slice(1))
})

test('a move that had to wait ends in the same words', () => {
  const outcome = {
    kind: 'release',
    status: 'pr_open',
    prNumber: 42,
    prUrl: 'https://git.example.org/42',
    commit: null,
  } as const
  const run = { environment: 'staging', targetLifecycle: 'staging' } as const
  expect(outcomeTitle(outcomeOfMove(outcome, run))).toBe('Pull request #42 is open')
  const none = { prNumber: null, prUrl: null } as const
  expect(
    outcomeTitle(outcomeOfMove({ ...outcome, ...none, status: 'ready_to_confirm' }, run)),
  ).toBe('Already merged')
  const confirmed = { ...outcome, ...none, kind: 'confirmation', status: 'confirmed' } as const
  expect(confirmedByMove(confirmed, run)).toStrictEqual({
    status: 'confirmed',
    lifecycle: 'staging',
  })
  expect(confirmedByMove({ ...outcome, status: 'lifecycle_pr_open' }, run)).toMatchObject({
    status: 'lifecycle_pr_open',
    pullRequest: { number: 42 },
  })
})
