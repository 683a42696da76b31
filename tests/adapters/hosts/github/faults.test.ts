import { describe, expect, test } from 'bun:test'
import type { GitFailure } from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { renameRepository } from '#tests/peers/github/calls/repositories.ts'
import { openGitHub, TOKEN, type GitHubFixture } from './open-github.ts'

const html: Fault = { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }

const change = async ({ host, repository }: GitHubFixture) => {
  const { commit } = value(await host.head(repository, MAIN))
  return await host.commit(repository, {
    branch: branch('topic'),
    from: { kind: 'create', parent: commit },
    changes: [write('x', 'x')],
    message: 'Change',
    author: AUTHOR,
  })
}

const errorOf = (result: Result<unknown, GitFailure>) => (result.ok ? null : result.error)

describe('G4: an answer of something else', () => {
  test('is never believed: JSON of another shape', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    const { commit } = value(await host.head(repository, MAIN))
    const alter = (on: Parameters<typeof github.fail>[0]['on'], body: unknown) =>
      github.fail({ on, fault: { kind: 'alter', alter: () => body } })
    alter('git/get-ref', {})
    expect(errorOf(await host.head(repository, MAIN))?.kind).toBe('git_host_error')
    alter('git/get-ref', { ref: 'refs/heads/main-2', object: { sha: commit, type: 'commit' } })
    expect((await host.head(repository, MAIN)).ok).toBe(false)
  })

  test('to a push is not asked again', async () => {
    await using fixture = await openGitHub()
    const { github } = fixture
    github.fail({ on: 'git-receive-pack', times: 10, fault: html })
    expect(errorOf(await change(fixture))?.kind).toBe('git_host_unreachable')
    const pushes = github.gitArrivals.filter(({ name }) => name === 'git-receive-pack')
    expect(pushes.length).toBe(1)
  })
})

describe('G18: a repository that is not as it was', () => {
  test('a default branch with another name is found', async () => {
    await using fixture = await openGitHub()
    const { host, repository, seeded } = fixture
    const { commit } = value(await host.head(repository))
    await seeded.git.updateReference('refs/heads/trunk', commit)
    await seeded.git.updateReference('refs/heads/main', null)
    await seeded.git.setDefaultBranch('trunk')
    seeded.defaultBranch = 'trunk'
    expect(value(await host.head(repository))).toStrictEqual({ branch: branch('trunk'), commit })
  })

  test('one that is gone is git_not_found', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    value(await host.head(repository))
    github.state.repositories.delete('acme/gitops')
    const missing = { kind: 'git_not_found', what: 'repository' } as const
    expect(errorOf(await host.head(repository))).toStrictEqual(missing)
  })

  test('a renamed one is read under its former name, and not written', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository, seeded } = fixture
    const before = value(await host.head(repository))
    renameRepository(github.state, seeded, 'gitops2')
    expect(value(await host.head(repository))).toStrictEqual(before)
    const listing = value(await host.listFiles(repository, before))
    expect(listing.files.length).toBe(4)
    expect(errorOf(await change(fixture))).toStrictEqual({
      kind: 'git_denied',
      what: expect.stringContaining('renamed'),
    } as never)
  })

  test('an archived one is read, and not written', async () => {
    await using fixture = await openGitHub()
    const { host, repository, seeded } = fixture
    seeded.archived = true
    expect((await host.head(repository)).ok).toBe(true)
    expect(errorOf(await change(fixture))).toStrictEqual({
      kind: 'git_denied',
      what: 'acme/gitops is archived',
    })
  })
})

describe('refused credentials', () => {
  test('revoked in the middle are git_denied, and say nothing of the token', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    value(await host.head(repository))
    github.state.credentials.clear()
    const failed = errorOf(await host.head(repository))
    expect(failed).toStrictEqual({ kind: 'git_denied', what: 'the credentials were refused' })
    expect(errorOf(await change(fixture).catch(() => host.head(repository)))?.kind).toBe(
      'git_denied',
    )
  })

  test('what they may not see is git_not_found', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository, seeded } = fixture
    github.addCredential(TOKEN, { account: seeded.owner, repositories: ['acme/other'] })
    const missing = { kind: 'git_not_found', what: 'repository' } as const
    expect(errorOf(await host.head(repository))).toStrictEqual(missing)
  })
})
