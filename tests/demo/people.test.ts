import { expect, test } from 'bun:test'
import { findPerson, people, personOfPassword, principalOf } from '#src/demo/people.ts'

test('the four people have the groups of the contract', () => {
  const groups = Object.values(people).map(({ id, groups }) => [id, ...groups])
  expect(groups).toStrictEqual([
    ['dev', 'payments'],
    ['manager', 'payments', 'payments:Managers'],
    ['platform', 'platform-team'],
    ['outsider', 'shipping'],
  ])
})

test('every person is found by the id that is also the key', () => {
  for (const [key, person] of Object.entries(people)) {
    expect(findPerson(key)).toStrictEqual(person)
    expect(person.email).toEndWith('@acme.example')
    expect(principalOf(person)).toStrictEqual({
      issuer: 'urn:portico:demo',
      subject: key,
      name: person.name,
      email: person.email,
      groups: { kind: 'known', names: person.groups },
    })
  }
})

test.each([
  ['dev', 'demo', 'dev'],
  ['platform', 'demo', 'platform'],
  ['dev', '', undefined],
  ['dev', 'Demo', undefined],
  ['', 'demo', undefined],
  ['constructor', 'demo', undefined],
])('%s with the password %j is %p', (id, password, subject) => {
  expect(personOfPassword(id, password)?.subject).toBe(subject as 'dev')
})
