import { expect, test } from 'bun:test'
import { people } from '#src/demo/people.ts'
import { pushRuleFor } from '#src/demo/push-rule.ts'

const pushed = {
  team: 'payments',
  ref: 'refs/heads/main',
  change: 'update',
  isDefaultBranch: true,
  creator: null,
} as const

const mayPush = (who: keyof typeof people, different: object) =>
  pushRuleFor(people[who], 'platform-team')({ ...pushed, ...different }) === null

const tag = { ref: 'refs/tags/v1', change: 'create', isDefaultBranch: false }
const branchOf = (who: keyof typeof people) => ({
  ref: 'refs/heads/x',
  isDefaultBranch: false,
  creator: people[who],
})

test.each([
  ['a team to its own repository', 'dev', {}, true],
  ['managers of the team too', 'manager', {}, true],
  ['nobody else', 'outsider', {}, false],
  ['the platform team everywhere', 'platform', {}, true],
  ['nobody but the platform team to a repository of unknown team', 'dev', { team: null }, false],
  ['a team its tags', 'dev', tag, true],
  ['nobody else', 'outsider', tag, false],
  ['people their own branch', 'outsider', { ...branchOf('outsider'), change: 'delete' }, true],
  ['nobody that of another', 'outsider', branchOf('dev'), false],
  ['nobody one of an unknown person', 'dev', { ...branchOf('dev'), creator: null }, false],
] as const)('%s: %s', (_, who, different, allowed) => {
  expect(mayPush(who, different)).toBe(allowed)
})
