import { describe, expect, test } from 'bun:test'
import { mayMerge } from '#src/demo/merge-rule.ts'
import { people, PLATFORM_GROUP, principalOf } from '#src/demo/people.ts'
import { BranchName } from '#src/lib/names.ts'

const main = BranchName.of('main')
const other = BranchName.of('release')

describe('who may merge', () => {
  // prettier-ignore
  test.each([
    ['the platform team, everywhere',         'platform', 'payments', main,  true],
    ['the platform team, without a team',     'platform', null,       other, true],
    ['a team, in its own repository',         'dev',      'payments', main,  true],
    ['a team, in the repository of another',  'outsider', 'payments', main,  false],
    ['a team, where no team is known',        'dev',      null,       main,  false],
    ['a team, into a branch of somebody',     'dev',      'payments', other, false],
  ] as const)('%s', (_, person, team, base, isAllowed) => {
    const into = { team, base, defaultBranch: main }
    expect(mayMerge(principalOf(people[person]), PLATFORM_GROUP, into)).toBe(isAllowed)
  })

  test('nobody whose groups are unknown', () => {
    const principal = {
      ...principalOf(people.platform),
      groups: { kind: 'unknown', reason: 'missing' } as const,
    }
    const into = { team: 'payments', base: main, defaultBranch: main }
    expect(mayMerge(principal, PLATFORM_GROUP, into)).toBe(false)
  })
})
