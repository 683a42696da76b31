import { describe, expect, test } from 'bun:test'
import { people, principalOf } from '#src/demo/people.ts'
import { deployTokenRule, mergeRights, pushRuleFor } from '#src/lib/domain/forge/rights.ts'
import { BranchName, parseRepositoryId, type RepositoryId } from '#src/lib/names.ts'

const id = (text: string): RepositoryId => {
  const parsed = parseRepositoryId(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}

const main = BranchName.of('main')
const GITOPS = id('acme/gitops')
const SHOP = id('acme/shop')
const rules = {
  role: 'platform',
  gitopsRole: 'platform',
  platformGroup: 'platform-team',
  gitops: GITOPS,
  catalogDirectory: 'catalog',
} as const

describe('who may merge', () => {
  const merged = (
    given: Partial<Parameters<typeof mergeRights>[0]>,
    repository: RepositoryId,
    team: string | null,
    paths: readonly string[] = ['x'],
    base = main,
  ) =>
    mergeRights(
      { ...rules, ...given },
      { repository, team, base, defaultBranch: main, files: paths.map((rawPath) => ({ rawPath })) },
    ).groups.slice(1)

  const managers = { role: 'manager', gitopsRole: 'manager' } as const
  const own = ['apps/payments/shop/base/kustomization.yaml', 'catalog/payments/shop.yaml']
  // prettier-ignore
  test.each([
    ['the platform team alone, as long as nothing is set', {}, SHOP, 'payments', ['x'], []],
    ['managers, in a repository of their team', managers, SHOP, 'payments', ['x'], ['payments:Managers']],
    ['members, if the setting says so', { role: 'member' }, SHOP, 'payments', ['x'], ['payments', 'payments:Managers']],
    ['nobody else where no team is known', managers, SHOP, null, ['x'], []],
    ['managers, in the folders of their team', managers, GITOPS, null, own, ['payments:Managers']],
    ['not by the role for repositories', { role: 'member' }, GITOPS, null, own, []],
    ['not where another file changes too', managers, GITOPS, null, [...own, 'CODEOWNERS'], []],
    ['not where another team is concerned', managers, GITOPS, null, [...own, 'apps/shipping/a/b'], []],
    ['not the folder itself', managers, GITOPS, null, ['apps/payments'], []],
    ['not a name that is no team', managers, GITOPS, null, ['apps/../x'], []],
    ['not a folder that only begins alike', managers, GITOPS, null, ['apps-x/payments/a'], []],
    ['nor by another spelling of its name', managers, id('Acme/GitOps'), 'payments', ['x'], []],
    ['not without a change', managers, GITOPS, null, [], []],
    ['not the team of the gitops repository, which is nobody', { role: 'member' }, GITOPS, 'payments', ['x'], []],
  ] as const)('%s', (_, given, repository, team, paths, groups) => {
    expect(merged(given, repository, team, paths)).toStrictEqual([...groups])
  })

  test('not into a branch that is not the default one', () => {
    expect(merged(managers, SHOP, 'payments', ['x'], BranchName.of('release'))).toStrictEqual([])
  })

  test('in another folder of the catalog', () => {
    const given = { ...managers, catalogDirectory: 'a/b' }
    expect(merged(given, GITOPS, null, ['a/b/payments/x.yaml'])).toStrictEqual([
      'payments:Managers',
    ])
    expect(merged(given, GITOPS, null, ['catalog/payments/x.yaml'])).toStrictEqual([])
  })
})

describe('who may push', () => {
  const pushed = {
    team: 'payments',
    ref: 'refs/heads/main',
    change: 'update',
    isDefaultBranch: true,
    creator: null,
  } as const
  const tag = { ref: 'refs/tags/v1', change: 'create', isDefaultBranch: false } as const
  const branchOf = (who: keyof typeof people) => ({
    ref: 'refs/heads/x',
    isDefaultBranch: false,
    creator: people[who],
  })
  const mayPush = (who: keyof typeof people, different: object, role: 'member' | 'manager') =>
    pushRuleFor(principalOf(people[who]), { platformGroup: 'platform-team', role })({
      ...pushed,
      ...different,
    }) === null

  // prettier-ignore
  test.each([
    ['members may merge there', 'dev', 'member', {}, true],
    ['members may not', 'dev', 'manager', {}, false],
    ['managers may', 'manager', 'manager', {}, true],
    ['nobody of another team', 'outsider', 'member', {}, false],
    ['the platform team everywhere', 'platform', 'manager', { team: null }, true],
    ['nobody to a repository of unknown team', 'dev', 'member', { team: null }, false],
    ['a team its tags', 'dev', 'manager', tag, true],
    ['nobody else', 'outsider', 'member', tag, false],
    ['people their own branch', 'outsider', 'member', { ...branchOf('outsider'), change: 'delete' }, true],
    ['nobody that of another', 'outsider', 'member', branchOf('dev'), false],
    ['nobody one of an unknown person', 'dev', 'member', { ...branchOf('dev'), creator: null }, false],
  ] as const)('%s: %s, %s', (_, who, role, different, allowed) => {
    expect(mayPush(who, different, role)).toBe(allowed)
  })

  test('nobody whose groups are unknown', () => {
    const unknown = { kind: 'unknown', reason: 'missing' } as const
    const person = { ...principalOf(people.platform), groups: unknown }
    expect(pushRuleFor(person, rules)(pushed)).not.toBeNull()
  })

  test('a deploy token everything but the default branch', () => {
    expect(deployTokenRule(pushed)).not.toBeNull()
    expect(deployTokenRule({ ...pushed, ...tag })).toBeNull()
    expect(deployTokenRule({ ...pushed, ...branchOf('dev') })).toBeNull()
  })
})
