import { describe, expect, test } from 'bun:test'
import {
  BLOCK_COMMITS,
  foldCommits,
  type OverlayCommit,
} from '#src/lib/domain/promotion/history/fold.ts'
import { AppName, BranchName, ObjectId, TeamName } from '#src/lib/names.ts'
import type { PullRequest } from '#src/lib/ports/git-host.ts'

const APPLICATION = { team: TeamName.of('payments'), app: AppName.of('shop') }
const MOVES = [
  { ...APPLICATION, act: 'promote', environment: 'dev' },
  { ...APPLICATION, act: 'deprecate', environment: '' },
] as const
const TRAILER = 'Portico-Move: promote/payments/shop/dev'

const id = (name: string) => ObjectId.of(Buffer.from(name).toString('hex').padEnd(40, '0'))

const pullOf = (number: number, merge: string, more: Partial<PullRequest> = {}): PullRequest => ({
  number,
  title: `Pull request ${number}`,
  body: TRAILER,
  url: `https://git.example/${number}`,
  state: 'merged',
  head: { branch: BranchName.of('promote/payments/shop/dev'), commit: id('head') },
  base: BranchName.of('main'),
  mergeable: 'unknown',
  createdBy: 'portico',
  createdAt: 0,
  closedAt: number * 100_000,
  mergeCommit: id(merge),
  mergedBy: 'pat',
  ...more,
})

interface Facts {
  readonly pull?: PullRequest
  readonly message?: string
  readonly parents?: readonly string[]
  readonly at?: number | null
}

const commit = (name: string, { pull, message = '', parents = [], at = 0 }: Facts = {}) =>
  ({
    id: id(name),
    message,
    parents: parents.map(id),
    authorName: name,
    committedAt: at,
    pull: pull ?? null,
  }) satisfies OverlayCommit

const folded = (...commits: readonly OverlayCommit[]) =>
  foldCommits(commits, MOVES).map(({ commit: last, act, pull, at }) => [
    Buffer.from(last, 'hex').toString().replaceAll('\0', ''),
    act,
    pull?.number ?? null,
    at,
  ])

describe('commits are folded into changes:', () => {
  test('a commit without a pull request is a change past the portal, at its own time', () => {
    expect(folded(commit('b', { at: 7 }), commit('a', { at: null }))).toStrictEqual([
      ['b', null, null, 7],
      ['a', null, null, null],
    ])
  })

  test('one with the trailer is the portal’s, even if nobody knows its pull request any more', () => {
    expect(folded(commit('a', { message: `release\n\n${TRAILER}\n`, at: 7 }))).toStrictEqual([
      ['a', 'promote', null, 7],
    ])
  })

  test('all commits of a pull request are one change, which has its merge commit and its time', () => {
    const pull = pullOf(3, 'merge')
    const two = [commit('b', { pull, at: 2 }), commit('a', { pull, at: 1 })]
    expect(folded(...two)).toStrictEqual([['merge', 'promote', 3, 300_000]])
  })

  test('a squash is one commit, a rebase the last of several', () => {
    const squash = pullOf(4, 'squash')
    const rebase = pullOf(3, 'r2')
    expect(
      folded(
        commit('squash', { pull: squash }),
        commit('r2', { pull: rebase }),
        commit('r1', { pull: rebase }),
      ),
    ).toStrictEqual([
      ['squash', 'promote', 4, 400_000],
      ['r2', 'promote', 3, 300_000],
    ])
  })

  test('two pull requests that one merge has ended are one change: a cursor names one place', () => {
    expect(
      folded(
        commit('b', { pull: pullOf(4, 'merge', { body: 'on top of another' }), parents: ['a'] }),
        commit('a', { pull: pullOf(3, 'merge') }),
      ),
    ).toStrictEqual([['merge', null, 4, 400_000]])
  })

  // prettier-ignore
  test.each<[string, Partial<PullRequest>, string | null]>([
    ['of a deprecation', { body: 'Portico-Move: deprecate/payments/shop', head: { branch: BranchName.of('deprecate/payments/shop.2'), commit: id('head') } }, 'deprecate'],
    ['of somebody else', { body: 'please' }, null],
    ['with the trailer from another branch', { head: { branch: BranchName.of('fix'), commit: id('head') } }, null],
    ['of another application', { body: 'Portico-Move: promote/payments/till/dev' }, null],
  ])('a pull request %s', (_, more, act) => {
    const pull = pullOf(3, 'merge', more)
    expect(folded(commit('a', { pull, message: TRAILER }))).toStrictEqual([['merge', act, 3, 300_000]])
  })

  test('a host that knows the last commit alone: earlier ones by the trailer, and what CI made between', () => {
    expect(
      folded(
        commit('b3', { pull: pullOf(3, 'merge'), parents: ['ci'] }),
        commit('ci', { parents: ['b1'] }),
        commit('b1', { message: TRAILER, parents: ['main'] }),
        commit('main', { at: 1 }),
      ),
    ).toStrictEqual([
      ['merge', 'promote', 3, 300_000],
      ['main', null, null, 1],
    ])
  })

  test('a commit of somebody that the branch began with is not on it', () => {
    expect(
      folded(
        commit('b1', { pull: pullOf(3, 'merge'), parents: ['hand'] }),
        commit('hand', { parents: ['s'], at: 5 }),
        commit('s', { pull: pullOf(2, 's') }),
      ),
    ).toStrictEqual([
      ['merge', 'promote', 3, 300_000],
      ['hand', null, null, 5],
      ['s', 'promote', 2, 200_000],
    ])
  })

  test('one of the portal’s before a push is not part of it', () => {
    const pushed = commit('pushed', { parents: ['a'], at: 2 })
    expect(folded(pushed, commit('a', { message: TRAILER, at: 1 }))).toStrictEqual([
      ['pushed', null, null, 2],
      ['a', 'promote', null, 1],
    ])
  })

  test('a merge comes before what happened while its branch was open', () => {
    const pull = pullOf(3, 'merge')
    expect(
      folded(
        commit('after', { at: 310_000 }),
        commit('same-second', { at: 299_001 }),
        commit('meanwhile', { at: 299_000 }),
        commit('b1', { pull, at: 100_000 }),
        commit('before', { at: 50_000 }),
      ).map(([name]) => name),
    ).toStrictEqual(['after', 'same-second', 'merge', 'meanwhile', 'before'])
  })

  test('but after a commit on top of it, by a clock that is late', () => {
    const next = commit('next', { at: 200_000, parents: ['merge'] })
    const first = commit('b1', { pull: pullOf(3, 'merge'), at: 100_000 })
    expect(folded(next, first).map(([name]) => name)).toStrictEqual(['next', 'merge'])
  })

  test('nobody moves anything by a wrong clock', () => {
    expect(
      folded(
        commit('new', { at: 0 }),
        commit('s', { pull: pullOf(3, 's'), at: 100 }),
        commit('old', { at: 9_999_999 }),
      ).map(([name]) => name),
    ).toStrictEqual(['new', 's', 'old'])
  })

  test('what is read later does not change the order of an earlier block', () => {
    const block = Array.from({ length: BLOCK_COMMITS }, (_, index) =>
      commit(`c${index}`, { at: 10 }),
    )
    const late = commit('b1', { pull: pullOf(3, 'merge') })
    const names = folded(...block, late).map(([name]) => name)
    expect(names.slice(0, -1)).toStrictEqual(block.map(({ authorName }) => authorName))
    expect(names.at(-1)).toBe('merge')
  })
})
