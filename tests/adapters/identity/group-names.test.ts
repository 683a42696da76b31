import { describe, expect, test } from 'bun:test'
import { parseGroupNames, renamed, groupsOf } from '#src/lib/adapters/identity/oidc/groups.ts'
import { valueOf } from '#tests/support/value-of.ts'

function namesOf(text: string) {
  return valueOf(parseGroupNames(text))
}

const mistakesOf = (text: string) => {
  const names = parseGroupNames(text)
  return names.ok
    ? []
    : names.error.map(({ position, message }) => `${position?.line ?? '-'} ${message}`)
}

describe('the mapping of groups', () => {
  const FILE = `
6f1d0a52-0000-4000-8000-000000000000: payments:Managers
/payments: payments
everything: [platform-team, payments]
contractors: []
`

  test.each([
    ['an id', ['6f1d0a52-0000-4000-8000-000000000000'], ['payments:Managers']],
    ['a path', ['/payments'], ['payments']],
    ['a list of names', ['everything'], ['platform-team', 'payments']],
    ['no names', ['contractors'], []],
    ['one that is not listed', ['shipping', '/shipping'], ['shipping', '/shipping']],
    ['two of one name', ['/payments', 'everything'], ['payments', 'platform-team']],
    ['what every object has', ['constructor', '__proto__'], ['constructor', '__proto__']],
    ['another case', ['/Payments'], ['/Payments']],
  ])('of %s', (_, groups, names) => {
    expect(renamed(groups, namesOf(FILE))).toStrictEqual(names)
  })

  test('is applied to the groups of a claim', () => {
    const settings = { OIDC_GROUPS_CLAIM: ['groups'], OIDC_GROUPS_FIELD: '' }
    expect(groupsOf({ groups: ['/payments', 'x'] }, settings, namesOf(FILE))).toStrictEqual({
      kind: 'known',
      names: ['payments', 'x'],
    })
  })

  test('may be empty', () => {
    expect(namesOf('{}').size).toBe(0)
  })

  const VALUE = 'the value must be a name or a list of names, such as payments:Managers'

  test.each<[string, string, readonly string[]]>([
    ['nothing', '', ['- must be one YAML document']],
    ['two documents', 'a: b\n---\nc: d\n', ['- must be one YAML document']],
    ['a list', '- a\n', ['1 must be a mapping of groups to names']],
    ['a text', 'a\n', ['1 must be a mapping of groups to names']],
    [
      'values that are no names',
      'a: 7\nb: x\nc: {d: e}\ne: [x, 1]\n',
      [`1 ${VALUE}`, `3 ${VALUE}`, `4 ${VALUE}`],
    ],
    ['an empty value', 'a:\n', [`1 ${VALUE}`]],
    ['an empty name', 'a: ""\n', [`1 ${VALUE}`]],
    ['a name with a space around', 'a: " b"\n', [`1 ${VALUE}`]],
    ['a name of two lines', 'a: "b\\nc"\n', [`1 ${VALUE}`]],
    ['an empty group', '"": b\n', ['1 the group must be a name of at most 256 characters']],
    ['a group twice', 'a: b\na: c\n', ['2 duplicated mapping key']],
    ['broken YAML', 'a: [b\n', ['2 deficient indentation']],
    ['too long a text', `a: ${'x'.repeat(1024 * 1024)}`, ['- is too large']],
  ])('is refused with its lines: %s', (_, text, mistakes) => {
    expect(mistakesOf(text)).toStrictEqual([...mistakes])
  })

  test('never repeats what is in the file', () => {
    for (const text of ['a: !secret x', 'a: *secret', 'secret: 7', 'a: "secret\n']) {
      expect(mistakesOf(text).join()).not.toContain('secret')
      expect(mistakesOf(text)).not.toHaveLength(0)
    }
  })
})

describe('groups that are objects', () => {
  const read = (groups: unknown, groupsField = 'name') =>
    groupsOf(
      { groups },
      { OIDC_GROUPS_CLAIM: ['groups'], OIDC_GROUPS_FIELD: groupsField },
      new Map(),
    )
  const known = (...names: string[]) => ({ kind: 'known' as const, names })
  const unreadable = { kind: 'unknown' as const, reason: 'unreadable' as const }

  test.each<[string, unknown, unknown]>([
    ['have a field', [{ name: 'a' }, { name: 'b', id: 7 }], known('a', 'b')],
    ['may stand alone', { name: 'a' }, known('a')],
    ['may be mixed with names', [{ name: 'a' }, 'b'], known('a', 'b')],
    ['may be none', [], known()],
    ['lack the field', [{ id: 'a' }], unreadable],
    ['have it from their prototype alone', [Object.create({ name: 'a' })], unreadable],
    ['have something else in it', [{ name: 7 }], unreadable],
    ['have too long a name', [{ name: 'x'.repeat(257) }], unreadable],
  ])('%s', (_, groups, outcome) => {
    expect(read(groups)).toStrictEqual(outcome as never)
  })

  test('are unreadable without a field in the settings', () => {
    expect(read([{ name: 'a' }], '')).toStrictEqual(unreadable)
  })
})
