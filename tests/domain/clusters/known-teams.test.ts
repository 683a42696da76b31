import { expect, test } from 'bun:test'
import { createKnownTeams } from '#src/lib/domain/clusters/known-teams.ts'
import { TeamName } from '#src/lib/names.ts'
import { known, person } from './cluster-request.ts'

const DEV = person('dev', known('payments', 'shipping:Managers', 'platform-team'))
const isTeam = (name: string, catalog: ReadonlySet<TeamName> | null, principal = DEV) =>
  createKnownTeams({ catalogTeams: () => catalog, platformGroup: 'platform-team' }).isTeam(
    principal,
    TeamName.of(name),
  )
const CATALOG = new Set([TeamName.of('web')])

test('a team is known by the groups of the person, and by the catalog', () => {
  expect(isTeam('payments', CATALOG)).toBe(true)
  expect(isTeam('shipping', CATALOG)).toBe(true)
  expect(isTeam('web', CATALOG)).toBe(true)
  expect(isTeam('kube-system', CATALOG)).toBe(false)
  expect(isTeam('payments', CATALOG, person('groupless'))).toBe(false)
})

test('the group of the platform team is no team', () => {
  expect(isTeam('platform-team', CATALOG)).toBe(false)
})

test('before the catalog is loaded every name may be one', () => {
  expect(isTeam('kube-system', null)).toBe(true)
})
