import { describe, expect, test } from 'bun:test'
import { RepositoryOwner } from '#src/lib/names.ts'
import { repositoryId } from '#tests/contracts/git-host.ts'
import { type FakeFixture, openFake } from './open-gitlab.ts'

const check = async ({ host, repository }: FakeFixture, owner: string = repository.owner) => {
  const findings = await host.check({
    gitops: repository,
    owners: [RepositoryOwner.of(owner)],
    templates: repositoryId(owner, 'templates'),
    cli: null,
  })
  return findings.map(({ ok, text }) => `${ok ? '+' : '-'} ${text}`)
}

describe('the check of rights at GitLab', () => {
  test('finds every right, and leaves nothing behind', async () => {
    await using fixture = await openFake('acme/platform')
    const { gitlab, project } = fixture
    const state = async () => [
      gitlab.state.projects.length,
      project.mergeRequests.length,
      await project.git.references('refs/'),
    ]
    const before = await state()
    expect(await check(fixture)).toStrictEqual([
      '+ GitLab allows role Developer on acme/platform/gitops.',
      '+ GitLab allows merge requests on acme/platform/gitops.',
      '+ GitLab allows group: create projects in acme/platform.',
      '+ Open to Portico: the branch main of acme/platform/gitops. Confirmations are committed to it.',
    ])
    expect(await state()).toStrictEqual(before)
  })

  test('a protected default branch is no mistake', async () => {
    await using fixture = await openFake()
    fixture.project.protections.add('main')
    expect((await check(fixture)).at(-1)).toBe(
      '+ Protected: the branch main of acme/gitops. Where its rules refuse a commit of Portico, confirmations open a pull request.',
    )
  })

  test('names each missing right', async () => {
    await using fixture = await openFake()
    fixture.gitlab.token.level = 20
    expect(await check(fixture)).toStrictEqual([
      '- GitLab does not allow role Developer on acme/gitops: 403 Forbidden.',
      '- GitLab does not allow merge requests on acme/gitops: 403 Forbidden.',
      '- GitLab does not allow group: create projects in acme: namespace:is not valid.',
    ])
  })

  test('names a missing scope, and a group that does not exist', async () => {
    await using fixture = await openFake()
    fixture.gitlab.token.scope = 'read_api'
    const scope = 'The request requires higher privileges than provided by the access token.'
    expect(await check(fixture, 'acme/nowhere')).toStrictEqual([
      `- GitLab does not allow role Developer on acme/gitops: ${scope}.`,
      `- GitLab does not allow merge requests on acme/gitops: ${scope}.`,
      '- GitLab does not allow group: create projects in acme/nowhere: group: create projects in acme/nowhere (there is no such group).',
    ])
  })
})
