import { expect, test } from 'bun:test'
import { unknownGroupsAdvice } from '#src/lib/domain/access/unknown-groups.ts'

test.each([
  ['missing', ['OIDC_GROUPS_CLAIM', 'OIDC_GROUPS_FROM', 'OIDC_SCOPES']],
  ['too_many', ['Entra ID', 'assigned to the application', 'OIDC_GROUPS_CLAIM=roles']],
  ['unreadable', ['OIDC_GROUPS_CLAIM', 'OIDC_GROUPS_FIELD']],
] as const)('groups that are %s have advice that names what to change', (reason, names) => {
  const advice = unknownGroupsAdvice({ kind: 'unknown', reason })
  for (const name of names) expect(advice).toContain(name)
})

test('known groups need none, be they empty', () => {
  expect(unknownGroupsAdvice({ kind: 'known', names: [] })).toBeNull()
})
