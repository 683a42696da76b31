import { describe, expect, test } from 'bun:test'
import { foldCommits } from '#src/lib/domain/promotion/history/changes.ts'
import type { OverlayCommit } from '#src/lib/domain/promotion/history/log.ts'
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

  test('a merge is at its own time, by nobody’s name', () => {
    const merge = commit('merge', { pull: pullOf(3, 'merge'), parents: ['a', 'b'], at: 1 })
    expect(foldCommits([merge], MOVES)).toMatchObject([{ at: 300_000, authorName: null }])
  })

  test('a squash is one commit, a rebase the last of several', () => {
    const rebase = pullOf(3, 'r2')
    expect(
      folded(
        commit('squash', { pull: pullOf(4, 'squash') }),
        commit('r2', { pull: rebase }),
        commit('r1', { pull: rebase }),
      ),
    ).toStrictEqual([
      ['squash', 'promote', 4, 400_000],
      ['r2', 'promote', 3, 300_000],
    ])
  })

  // prettier-ignore
  test.each<[string, Partial<PullRequest>, string | null]>([
    ['of a deprecation', { body: 'Portico-Move: deprecate/payments/shop', head: { branch: BranchName.of('deprecate/payments/shop.2'), commit: id('head') } }, 'deprecate'],
    ['of somebody else', { body: 'please' }, null],
    ['with the trailer from another branch', { head: { branch: BranchName.of('fix'), commit: id('head') } }, null],
    ['of another application', { body: 'Portico-Move: promote/payments/till/dev' }, null],
  ])('a pull request %s', (_, more, act) => {
    const pull = pullOf(3, 'a', more)
    expect(folded(commit('a', { pull, message: TRAILER }))).toStrictEqual([['a', act, 3, 300_000]])
  })

  test('a host that knows the last commit of a rebase alone: earlier ones by the trailer, and what CI made between', () => {
    expect(
      folded(
        commit('r3', { pull: pullOf(3, 'r3'), parents: ['ci'] }),
        commit('ci', { parents: ['r1'] }),
        commit('r1', { message: TRAILER, parents: ['main'] }),
        commit('main', { at: 1 }),
      ),
    ).toStrictEqual([
      ['r3', 'promote', 3, 300_000],
      ['main', null, null, 1],
    ])
  })

  test.each([
    ['by hand', commit('r1', { pull: pullOf(3, 'r1') }), [commit('hand', { at: 5 })]],
    [
      'the portal’s, before a merge',
      commit('m', { pull: pullOf(3, 'm'), parents: ['a', 'b'] }),
      [commit('own', { message: TRAILER, at: 5 })],
    ],
    [
      'the portal’s, before somebody else’s',
      commit('m', { pull: pullOf(3, 'm', { body: '' }) }),
      [commit('own', { message: TRAILER, at: 5 })],
    ],
  ])('a commit that is %s is a change of its own', (_, newest, others) => {
    expect(folded(newest, ...others, commit('s', { pull: pullOf(2, 's') }))).toHaveLength(3)
  })

  test('one of the portal’s before a push is not part of it', () => {
    const pushed = commit('pushed', { parents: ['a'], at: 2 })
    expect(folded(pushed, commit('a', { message: TRAILER, at: 1 }))).toStrictEqual([
      ['pushed', null, null, 2],
      ['a', 'promote', null, 1],
    ])
  })
})
