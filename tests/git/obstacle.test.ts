import { expect, test } from 'bun:test'
import { obstacleOf } from '#src/lib/git/mirror-push.ts'
import { branch, oid } from '#tests/contracts/git-host.ts'

const [one, other] = [oid('1'.repeat(40)), oid('2'.repeat(40))]
const topic = branch('a/b')
const there = { kind: 'git_branch_exists', branch: topic }
const gone = { kind: 'git_not_found', what: 'branch' }
const conflict = { kind: 'git_conflict', branch: topic }
const blockedBy = (by: string) => ({ kind: 'git_branch_blocked', branch: topic, by })

test.each([
  ['a new branch', {}, null, one, undefined],
  ['a new branch beside others', { a1: one, 'a/bc': one, main: one }, null, one, undefined],
  ['a new branch that is there', { 'a/b': one }, null, other, there],
  ['a new branch that is there at its commit', { 'a/b': one }, null, one, there],
  ['a new branch below another', { a: one }, null, one, blockedBy('a')],
  ['a new branch above another', { 'a/b/c': one }, null, one, blockedBy('a/b/c')],
  ['a change', { 'a/b': one }, one, other, undefined],
  ['a change of a branch that has moved', { 'a/b': other }, one, one, conflict],
  ['a change of a branch that is gone', { main: one }, one, other, gone],
  ['a change of a branch that is gone, with another above', { a: one }, one, other, gone],
  ['a removal', { 'a/b': one }, one, null, undefined],
  ['a removal of a branch that has moved', { 'a/b': other }, one, null, conflict],
  ['a removal of a branch that is gone', {}, one, null, conflict],
] as const)('%s', (_, tips, before, after, obstacle) => {
  const move = { branch: topic, before, after }
  expect(obstacleOf(new Map(Object.entries(tips)), move)).toEqual(obstacle as never)
})
