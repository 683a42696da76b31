import { expect, test } from 'bun:test'
import { type Grant, principalBy } from '#src/lib/domain/access/grants/grant.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'

const GRANT: Grant = {
  kind: 'workload',
  clientId: 'deploy',
  clientName: 'Deploy',
  scopes: [],
  teams: ['payments'],
  environments: ['dev'],
  resource: 'https://portal.example',
  redirectUri: '',
  codeChallenge: '',
}
const ANN = { issuer: 'https://id.example', subject: 'ann', name: 'Ann', email: null }
const KNOWN = { kind: 'known', names: ['payments', 'payments:Managers', 'platform'] } as const
const UNKNOWN = { kind: 'unknown', reason: 'missing' } as const

test.each<[string, Principal['groups'], Grant['teams']]>([
  ['of teams', KNOWN, ['payments']],
  ['of all teams', KNOWN, null],
  ['of a person whose groups are unknown', UNKNOWN, ['payments']],
])('a grant %s is for its environments alone', (_, groups, teams) => {
  const by = principalBy({ ...ANN, groups }, { ...GRANT, teams }, 'id')
  expect(by.onlyEnvironments).toStrictEqual(['dev'])
  expect(by.via).toStrictEqual({ kind: 'workload', id: 'id', client: 'deploy' })
})

test('a grant for teams has their groups alone', () => {
  const { groups, onlyTeams } = principalBy({ ...ANN, groups: KNOWN }, GRANT, 'id')
  expect({ groups, onlyTeams }).toStrictEqual({
    groups: { kind: 'known', names: ['payments', 'payments:Managers'] },
    onlyTeams: ['payments'],
  })
})
