import { describe, expect, test } from 'bun:test'
import { groupsOf } from '#src/lib/adapters/identity/oidc/groups.ts'
import { principalOf, sidOf } from '#src/lib/adapters/identity/oidc/identity-of.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import type { UnknownGroups } from '#src/lib/ports/identity.ts'
import { openFakeIssuer } from './fake-issuer.ts'

const known = (...names: string[]) => ({ kind: 'known' as const, names })
const unknown = (reason: UnknownGroups) => ({ kind: 'unknown' as const, reason })

/** As a token brings them: `__proto__` is a member like any other. */
const parse = (claims: string) => JSON.parse(claims) as Record<string, unknown>

describe('groups', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `g${index}`)

  test.each<[string, readonly string[], string, unknown]>([
    ['a list', ['groups'], '{"groups":["a","b"]}', known('a', 'b')],
    ['one', ['groups'], '{"groups":"a"}', known('a')],
    ['no groups', ['groups'], '{"groups":[]}', known()],
    ['nothing said', ['groups'], '{}', unknown('missing')],
    ['deeper down', ['realm', 'roles'], '{"realm":{"roles":["a"]}}', known('a')],
    ['nothing said deeper down', ['realm', 'roles'], '{"realm":{}}', unknown('missing')],
    ['a URL', ['https://example.org/groups'], '{"https://example.org/groups":["a"]}', known('a')],
    ['a dot in the name', ['a.b'], '{"a":{"b":["x"]},"a.b":["y"]}', known('y')],
    ['as many as may be', ['groups'], JSON.stringify({ groups: many(2000) }), known(...many(2000))],
    ['a long name', ['groups'], `{"groups":["${'x'.repeat(256)}"]}`, known('x'.repeat(256))],
    ['a member of its own', ['__proto__'], '{"__proto__":["a"]}', known('a')],
    // Not their own: what every object has.
    ['no own member', ['constructor', 'name'], '{}', unknown('missing')],
    ['no own member of a string', ['groups', 'length'], '{"groups":"abc"}', unknown('unreadable')],
    ['no own member of a list', ['groups', '0'], '{"groups":["a"]}', unknown('unreadable')],

    ['too many', ['groups'], JSON.stringify({ groups: many(2001) }), unknown('too_many')],
    ['too long a name', ['groups'], `{"groups":["${'x'.repeat(257)}"]}`, unknown('unreadable')],
    ['too long a name alone', ['groups'], `{"groups":"${'x'.repeat(257)}"}`, unknown('unreadable')],
    ['a number', ['groups'], '{"groups":7}', unknown('unreadable')],
    ['null', ['groups'], '{"groups":null}', unknown('unreadable')],
    ['an object', ['groups'], '{"groups":{"a":true}}', unknown('unreadable')],
    ['not only names', ['groups'], '{"groups":["a",7]}', unknown('unreadable')],
    ['lists in a list', ['groups'], '{"groups":[["a"]]}', unknown('unreadable')],
    ['a way that ends early', ['realm', 'roles'], '{"realm":"a"}', unknown('unreadable')],

    // Entra's overage.
    ['elsewhere', ['groups'], '{"_claim_names":{"groups":"src1"}}', unknown('too_many')],
    [
      'elsewhere, deeper down',
      ['realm', 'roles'],
      '{"_claim_names":{"realm":"src1"}}',
      unknown('too_many'),
    ],
    [
      'elsewhere, as another claim',
      ['roles'],
      '{"_claim_names":{"groups":"src1"}}',
      unknown('too_many'),
    ],
    ['somewhere', ['groups'], '{"hasgroups":true}', unknown('too_many')],
    [
      'another claim elsewhere',
      ['groups'],
      '{"_claim_names":{"address":"src1"}}',
      unknown('missing'),
    ],
    ['a place that is none', ['groups'], '{"_claim_names":"groups"}', unknown('missing')],
    ['here and elsewhere', ['roles'], '{"roles":["a"],"_claim_names":{"groups":"x"}}', known('a')],
  ])('%s', (_, path, claims, groups) => {
    expect(
      groupsOf(parse(claims), { OIDC_GROUPS_CLAIM: path, OIDC_GROUPS_FIELD: '' }, new Map()),
    ).toStrictEqual(groups as never)
  })
})

describe('a person', () => {
  const PERSON = { iss: 'https://id.example.org', sub: 'u-1' }
  const personOf = (claims: object) =>
    principalOf({ ...PERSON, ...claims }, null, oidcSettings(PERSON.iss))

  test('is who the issuer says', () => {
    expect(personOf({ name: 'Ada', email: 'ada@example.org', groups: ['a'] })).toStrictEqual({
      issuer: 'https://id.example.org',
      subject: 'u-1',
      name: 'Ada',
      email: 'ada@example.org',
      groups: known('a'),
    })
  })

  test.each([
    ['the name', { name: 'Ada', preferred_username: 'ada' }, 'Ada'],
    ['the user name', { preferred_username: 'ada' }, 'ada'],
    ['the user name', { name: ' ', preferred_username: 'ada' }, 'ada'],
    ['the user name', { name: ['Ada'], preferred_username: 'ada' }, 'ada'],
    ['the user name', { name: 'A\0da', preferred_username: 'ada' }, 'ada'],
    ['the user name', { name: 'x'.repeat(257), preferred_username: 'ada' }, 'ada'],
    ['the subject', {}, 'u-1'],
  ])('is called by %s', (_, claims, name) => {
    expect(personOf(claims).name).toBe(name)
  })

  test.each([{}, { email: '' }, { email: 7 }, { email: null }, { email: 'a\0b' }])(
    'has no address in %j',
    (claims) => {
      expect(personOf(claims).email).toBeNull()
    },
  )

  test.each(['', ' ', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(256)])(
    'is nobody with a subject that no database takes: %j',
    (sub) => {
      expect(() => personOf({ sub })).toThrow('no_subject')
    },
  )

  test.each([
    ['s-1', 's-1'],
    ['x'.repeat(512), 'x'.repeat(512)],
    ['x'.repeat(513), null],
    ['a\0b', null],
    [7, null],
  ])('has a session id that a database takes, or none', (sid, kept) => {
    expect(sidOf({ sid })).toBe(kept)
  })

  test('is read from where configuration says', async () => {
    await using at = await openFakeIssuer({ OIDC_GROUPS_CLAIM: ['realm_access', 'roles'] })
    at.idToken = () => at.sign({ name: 'Ada', realm_access: { roles: ['a'] }, groups: ['b'] })
    expect(await at.refresh()).toMatchObject({
      value: { principal: { issuer: at.issuer, subject: 'ada', name: 'Ada', groups: known('a') } },
    })
  })
})
