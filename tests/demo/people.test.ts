import { expect, test } from 'bun:test'
import { findPerson, people, personOfBasic, principalOf } from '#src/demo/people.ts'

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

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  [basic('dev:demo'), 'dev'],
  [basic('platform:demo').replace('Basic', 'basic'), 'platform'],
  [null, undefined],
  ['', undefined],
  ['Basic', undefined],
  ['Basic !', undefined],
  ['Bearer ZGV2OmRlbW8=', undefined],
  [basic('dev'), undefined],
  [basic('dev:'), undefined],
  [basic('dev:Demo'), undefined],
  [basic('dev:demo:'), undefined],
  [basic(':demo'), undefined],
  [basic('constructor:demo'), undefined],
  [basic(`dev:${'demo'.repeat(200)}`), undefined],
])('basic authentication %j is %p', (header, id) => {
  expect(personOfBasic(header)?.id).toBe(id as 'dev')
})
