import { describe, expect, test } from 'bun:test'
import {
  type Groups,
  isMember,
  isPlatform,
  ownTeams,
  type Principal,
  teamsOf,
} from '#src/lib/domain/access/principal.ts'

const of = (groups: Groups): Principal => ({
  issuer: 'i',
  subject: 's',
  name: 'Ada',
  email: null,
  groups,
})
const member = (...names: readonly string[]) => of({ kind: 'known', names })
const unknown = of({ kind: 'unknown', reason: 'missing' })

describe('isMember', () => {
  // prettier-ignore
  test.each([
    ['of that group',        member('payments'),           true],
    ['of none',              member(),                     false],
    ['in another case',      member('Payments'),           false],
    ['of a longer name',     member('payments-eu'),        false],
    ['of its managers only', member('payments:Managers'),  false],
    ['with white space',     member(' payments'),          false],
    ['of unknown groups',    unknown,                      false],
  ])('%s', (_, principal, expected) => {
    expect(isMember(principal, 'payments')).toBe(expected)
  })
})

test('the platform is who is in the platform group, exactly', () => {
  expect(isPlatform(member('a', 'platform-team'), 'platform-team')).toBe(true)
  expect(isPlatform(member('Platform-Team', 'platform-team:Managers'), 'platform-team')).toBe(false)
  expect(isPlatform(unknown, 'platform-team')).toBe(false)
})

describe('teamsOf', () => {
  // prettier-ignore
  test.each([
    ['none',                        member(),                                             []],
    ['sorted and once',             member('shop', 'payments', 'shop:Managers', 'shop'),  ['payments', 'shop']],
    ['a manager is of the team',    member('payments:Managers'),                          ['payments']],
    ['the platform is no team',     member('platform-team', 'platform-team:Managers'),    []],
    ['what is no team name is not', member('Payments', '/payments', 'a:b', 'pay ments', '-x', 'x'.repeat(64), '', ':Managers', '__proto__'), []],
    ['Managers in another case',    member('payments:managers', 'shop:Managers:Managers'), []],
  ])('%s', (_, principal, teams) => {
    expect<readonly string[] | 'unknown'>(teamsOf(principal, 'platform-team')).toStrictEqual(teams)
  })

  test('unknown groups are unknown teams, not none', () => {
    expect(teamsOf(unknown, 'platform-team')).toBe('unknown')
  })
})

describe('ownTeams', () => {
  // prettier-ignore
  test.each([
    ['the teams',                      member('shop', 'payments:Managers'),         ['payments', 'shop']],
    ['the platform team, as one more', member('shop', 'platform-team', 'a-team'),   ['a-team', 'platform-team', 'shop']],
    ['nothing of its managers',        member('platform-team:Managers'),            []],
    ['nothing of unknown groups',      unknown,                                     []],
  ])('%s', (_, principal, teams) => {
    expect(ownTeams(principal, 'platform-team')).toStrictEqual(teams)
  })
})
