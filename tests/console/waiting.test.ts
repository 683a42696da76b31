import { expect, test } from 'bun:test'
import {
  confirmedWords,
  confirmReason,
  groupMoves,
  type Move,
  moveWords,
  nameOf,
} from '#src/console/pages/waiting/moves.ts'

const move: Move = {
  kind: 'promotion',
  waitsFor: 'review',
  entity: { kind: 'Component', name: 'payments-api', title: 'Payments API' },
  team: 'payments',
  app: 'payments-api',
  environment: 'staging',
  targetLifecycle: 'staging',
  pullRequest: null,
  askedBy: null,
  since: null,
  canConfirm: false,
  requires: [],
}
const confirm = { ...move, waitsFor: 'confirm' } as const

test('what the person can do comes first, and empty groups are left out', () => {
  const mine = { ...confirm, canConfirm: true }
  const groups = groupMoves([move, confirm, mine, { ...move, app: 'other' }])
  expect(groups.map(({ id, moves }) => [id, moves.length])).toStrictEqual([
    ['yours', 1],
    ['confirm', 1],
    ['review', 2],
  ])
  expect(groupMoves([confirm]).map(({ id }) => id)).toStrictEqual(['confirm'])
  expect(groupMoves([])).toStrictEqual([])
})

test.each<[Partial<Move>, string]>([
  [{}, 'Promotion to staging'],
  [{ kind: 'release', environment: 'production' }, 'Release to production'],
  [{ kind: 'scaffold', environment: null, targetLifecycle: null }, 'New project'],
  [{ kind: 'deprecation', environment: null, targetLifecycle: 'deprecated' }, 'Deprecation'],
  [{ kind: 'lifecycle', environment: null }, 'Lifecycle to staging'],
])('%p is: %s', (facts, words) => {
  expect(moveWords({ ...move, ...facts })).toBe(words)
})

test('a name is that of the entity, else that of the application', () => {
  expect(nameOf(move)).toBe('Payments API')
  expect(nameOf({ ...move, entity: { kind: 'Component', name: 'a', title: null } })).toBe('a')
  expect(nameOf({ ...move, entity: null })).toBe('payments-api')
})

test('a refused confirmation says whom to ask', () => {
  const requires = ['platform-team', 'payments:Managers']
  expect(confirmReason({ ...confirm, requires })).toBe(
    'Somebody of platform-team or payments:Managers has to confirm it',
  )
  expect(confirmReason({ ...confirm, canConfirm: true, requires })).toBeUndefined()
})

test('the end of a confirmation is a sentence', () => {
  const pullRequest = { number: 7, title: 't', url: 'https://git.test/7', state: 'open' } as const
  expect(confirmedWords('Shop', { status: 'lifecycle_pr_open', pullRequest })).toBe(
    'The default branch is protected: pull request #7 confirms Shop when it is merged',
  )
})
