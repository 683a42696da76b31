import { expect, test } from 'bun:test'
import { BLOCK_COMMITS, readChanges } from '#src/lib/domain/promotion/history/changes.ts'
import {
  COMMITS_MAX,
  createMergedPulls,
  createOverlayLog,
} from '#src/lib/domain/promotion/history/log.ts'
import { AppName, BranchName, ObjectId, TeamName } from '#src/lib/names.ts'
import type { CommitRange } from '#src/lib/ports/git-host.ts'
import { err, ok } from '#src/lib/result.ts'
import { GITOPS } from '#tests/support/portal.ts'

const BASE = BranchName.of('main')
const tipOf = (digit: string) => ObjectId.of(digit.repeat(40))
const SHOP = { team: TeamName.of('payments'), app: AppName.of('shop') }

const id = (number: number) => ObjectId.of(number.toString(16).padStart(40, '0'))

/** A host whose path has so many commits, pushed without pull requests, newest first. */
function openHost(count: number) {
  const calls = { logs: 0, pulls: 0 }
  let head = tipOf('f')
  let isAway = false
  let now = 0
  const away = err({ kind: 'git_host_unreachable' } as const)
  const host = {
    async listCommits(_: unknown, { limit }: CommitRange) {
      if (isAway) return away
      calls.logs += 1
      return ok(
        Array.from({ length: Math.min(limit, count) }, (_, index) => ({
          id: id(index),
          message: 'x',
          parents: [],
          authorName: null,
          committedAt: 0,
        })),
      )
    },
    async findMergedPullRequest() {
      calls.pulls += 1
      return isAway ? away : ok(null)
    },
  }
  const log = createOverlayLog(host, GITOPS)
  const pulls = createMergedPulls(host, GITOPS, { now: () => now })
  return {
    calls,
    push: (to: ObjectId) => void (head = to),
    advance: (seconds: number) => void (now += seconds * 1_000),
    away: (is: boolean) => void (isAway = is),
    page: async (before: ObjectId | null, limit: number) => {
      const commits = await log(head, SHOP, ['dev'])
      const query = { base: BASE, moves: [], before, limit }
      return commits.ok ? readChanges(pulls, commits.value, query) : commits
    },
  }
}

test('the log is read once, and the pull requests of the blocks of commits that a page needs', async () => {
  const { page, calls } = openHost(200)
  const first = await page(null, 20)
  expect(calls).toMatchObject({ logs: 1, pulls: BLOCK_COMMITS })
  expect(first).toMatchObject({ value: { older: { commit: id(20) }, isCut: false } })
  const second = await page(id(19), 20)
  expect(calls).toMatchObject({ logs: 1, pulls: 2 * BLOCK_COMMITS })
  expect(second.ok && second.value.changes.map(({ commit }) => commit)).toStrictEqual(
    Array.from({ length: 20 }, (_, index) => id(20 + index)),
  )
  await page(null, 20)
  expect(calls.pulls).toBe(2 * BLOCK_COMMITS)
})

test('what is older than the limit is left out, and the last change does not pretend to be the first', async () => {
  const { page, calls } = openHost(COMMITS_MAX + 100)
  const last = await page(id(COMMITS_MAX - 2), 20)
  expect(last).toMatchObject({
    value: { changes: [{ commit: id(COMMITS_MAX - 1) }], older: null, isCut: true },
  })
  expect(calls).toMatchObject({ logs: 1, pulls: COMMITS_MAX })
  expect(await page(id(COMMITS_MAX), 20)).toMatchObject({ error: { kind: 'unknown_change' } })
})

test('twenty who ask at once cost as much as one', async () => {
  const { page, calls } = openHost(10)
  await Promise.all(Array.from({ length: 20 }, () => page(null, 20)))
  expect(calls).toMatchObject({ logs: 1, pulls: 10 })
})

test('a failure is not kept', async () => {
  const { page, away } = openHost(10)
  away(true)
  expect(await page(null, 20)).toMatchObject({ error: { kind: 'git_host_unreachable' } })
  away(false)
  expect(await page(null, 20)).toMatchObject({ ok: true, value: { isCut: false } })
})

test('that a commit has no pull request is asked again, and believed the third time', async () => {
  const { page, calls, advance } = openHost(1)
  const asked: number[] = []
  for (const seconds of [0, 29, 1, 599, 1, 999_999]) {
    advance(seconds)
    await page(null, 20)
    asked.push(calls.pulls)
  }
  expect(asked).toStrictEqual([1, 1, 2, 2, 3, 3])
})

test('the log is read again after a push', async () => {
  const { page, push, calls } = openHost(3)
  await page(null, 20)
  push(tipOf('1'))
  await Promise.all([page(null, 20), page(null, 20)])
  await page(null, 20)
  expect(calls.logs).toBe(2)
})
