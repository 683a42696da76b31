import { expect, test } from 'bun:test'
import { owningTeams } from '#src/lib/domain/catalog/owning-teams.ts'

const snapshotOf = (...owners: readonly (string | null)[]) =>
  ({ entities: owners.map((owner) => ({ card: { owner } })) }) as never

// prettier-ignore
test.each<[string, readonly (string | null)[], readonly string[]]>([
  ['each once',                   ['group:acme/payments', 'group:acme/web', 'group:acme/payments'], ['payments', 'web']],
  ['of this organisation',        ['group:other/payments', 'group:acme/web'],                       ['web']],
  ['no owner, and none that is a team', [null, 'payments', 'user:acme/dana', 'group:acme/No Team'], []],
])('the teams that own an entity: %s', (_, owners, teams) => {
  const found: readonly string[] = [...owningTeams(snapshotOf(...owners), 'acme')]
  expect(found).toStrictEqual(teams)
})

test('the teams of a group within another one are those after the last slash', () => {
  const owners = ['group:acme/platform/payments', 'group:acme/web', 'group:acme/platform']
  const found: readonly string[] = [...owningTeams(snapshotOf(...owners), 'acme/platform')]
  expect(found).toStrictEqual(['payments'])
})
