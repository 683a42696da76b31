import { describe, expect, test } from 'bun:test'
import { BranchName } from '#src/lib/names.ts'
import type { GitFailure, GitHost, NewRepository } from '#src/lib/ports/git-host.ts'
import {
  AUTHOR,
  BYTES_MAX,
  MAIN,
  path,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { addAccount } from '#tests/peers/github/calls/accounts.ts'
import { keepWarnings } from '../warnings.ts'
import { EVERY_RIGHT } from '#tests/peers/github/state.ts'
import { openGitHub, TOKEN } from './open-github.ts'

const fresh = repositoryId('acme', 'fresh')
const request: NewRepository = {
  description: 'Fresh',
  team: TEAM,
  marker: 'run-1',
  files: [write('README.md', 'fresh\n')],
  message: 'Initial commit',
  author: AUTHOR,
}
const failure = (error: GitFailure) => ({ ok: false as const, error })

describe('a new repository', () => {
  test('has its topics, its team, its visibility and its mark', async () => {
    await using fixture = await openGitHub({
      repositories: {
        topics: ['portico', 'service'],
        teamPermission: 'maintain',
        visibility: 'public',
      },
    })
    const { github, host } = fixture
    github.state.teams.add(`acme/${TEAM}`)
    value(await host.createRepository(fresh, request))
    const made = github.state.repositories.get('acme/fresh')
    expect(made).toMatchObject({
      description: 'Fresh',
      topics: ['portico', 'service'],
      visibility: 'public',
    })
    expect([...(made?.teams ?? [])]).toStrictEqual([[String(TEAM), 'maintain']])
    expect(made?.homepage).toMatch(/\/#repository-[0-9a-f]{32}$/)
    const { body } = github.arrivals.find(({ name }) => name === 'repos/create-in-org') ?? {}
    expect(body).toMatchObject({ private: true })
  })

  test('is internal from the start', async () => {
    await using fixture = await openGitHub({
      peer: {
        flavour: 'ghes-3.17',
        behaviour: { visibilityChanges: false, privateRepositories: false },
      },
      repositories: { visibility: 'internal' },
    })
    const { github, host } = fixture
    value(await host.createRepository(fresh, request))
    expect(github.state.repositories.get('acme/fresh')).toMatchObject({
      description: 'Fresh',
      visibility: 'internal',
    })
  })

  test('is finished once an owner has made it public', async () => {
    await using fixture = await openGitHub({
      peer: { behaviour: { visibilityChanges: false } },
      repositories: { visibility: 'public' },
    })
    const { github, host } = fixture
    expect(await host.createRepository(fresh, request)).toStrictEqual(
      failure({
        kind: 'git_host_error',
        reason: "answered with 422 (Visibility can't be changed by this user.)",
      }),
    )
    const made = github.state.repositories.get('acme/fresh')
    if (made !== undefined) made.visibility = 'public'
    value(await host.createRepository(fresh, request))
    expect(made).toMatchObject({ description: 'Fresh', visibility: 'public' })
  })

  test('has the one branch of the setting, whatever the organization prefers', async () => {
    await using fixture = await openGitHub({
      peer: { behaviour: { defaultBranch: 'master' } },
      repositories: { defaultBranch: BranchName.of('trunk') },
    })
    const { github, host } = fixture
    const { head } = value(await host.createRepository(fresh, request))
    expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
    const made = github.state.repositories.get('acme/fresh')
    const branches = (await made?.git.references('refs/heads/')) ?? []
    expect(branches.map(([name]) => name)).toStrictEqual(['refs/heads/trunk'])
    expect(made?.defaultBranch).toBe('trunk')
  })

  test('is not there for anybody until it is complete', async () => {
    await using fixture = await openGitHub()
    const { github, host } = fixture
    github.fail({
      on: 'repos/update',
      times: 9,
      fault: { kind: 'answer', status: 403, body: { message: 'no' } },
    })
    expect((await host.createRepository(fresh, request)).ok).toBe(false)
    const nothing = failure({ kind: 'git_not_found', what: 'repository' })
    const commit = fixture.seed
    const asks: Readonly<Record<string, (host: GitHost) => Promise<unknown>>> = {
      head: (host) => host.head(fresh),
      headOfBranch: (host) => host.head(fresh, MAIN),
      listBranches: (host) => host.listBranches(fresh, ''),
      listFiles: (host) => host.listFiles(fresh, { commit }),
      readFiles: async (host) => {
        const files = [{ path: path('README.md') }]
        return (await Array.fromAsync(host.readFiles(fresh, commit, files, BYTES_MAX))).at(0)
      },
      listCommits: (host) => host.listCommits(fresh, { of: commit, without: commit, limit: 1 }),
      commit: (host) =>
        host.commit(fresh, {
          branch: MAIN,
          from: { kind: 'advance', expected: commit },
          changes: [write('x', 'x')],
          message: 'x',
          author: AUTHOR,
        }),
      findPullRequests: (host) => host.findPullRequests(fresh, {}),
      openPullRequest: (host) =>
        host.openPullRequest(fresh, {
          head: MAIN,
          base: MAIN,
          title: 't',
          body: '',
          author: AUTHOR,
        }),
      releases: (host) => host.releases.list(fresh),
    }
    for (const [name, ask] of Object.entries(asks)) {
      expect([name, await ask(fixture.another())]).toStrictEqual([name, nothing])
    }
    github.mend()
    expect(value(await fixture.another().createRepository(fresh, request)).created).toBe(true)
    for (const ask of Object.values(asks)) expect(await ask(host)).not.toStrictEqual(nothing)
  })

  test('is the same commit for two processes that make it together', async () => {
    let nowMs = Date.UTC(2026, 0, 1)
    await using fixture = await openGitHub({ peer: { now: () => (nowMs += 1_000) } })
    const processes = Array.from({ length: 4 }, () => fixture.another())
    const made = await Promise.all(processes.map((host) => host.createRepository(fresh, request)))
    const { commit } = value(await fixture.host.head(fresh))
    for (const each of made) expect(value(each).head.commit).toBe(commit)
  })

  test('of a person is made with that person’s token alone', async () => {
    await using fixture = await openGitHub()
    const { github, host } = fixture
    addAccount(github.state, 'mallory', 'User')
    const own = repositoryId('portico', 'fresh')
    expect(value(await host.createRepository(own, request)).created).toBe(true)
    for (const owner of ['mallory', 'nobody']) {
      expect(await host.createRepository(repositoryId(owner, 'fresh'), request)).toStrictEqual(
        failure({ kind: 'git_denied', what: `administration: write in ${owner}` }),
      )
    }
    const made = [...github.state.repositories.keys()]
    expect(made).toStrictEqual(['acme/gitops', 'portico/fresh'])
  })

  test.each([404, 403])('is complete although GitHub refuses its team with %d', async (status) => {
    const teamPermission = 'push'
    await using fixture = await openGitHub({ repositories: { teamPermission } })
    const { github } = fixture
    if (status === 404) github.state.teams.clear()
    else {
      const on = 'teams/add-or-update-repo-permissions-in-org'
      github.fail({ on, fault: { kind: 'answer', status, body: { message: 'no' } } })
    }
    const { log, warnings } = keepWarnings()
    const host = fixture.another({ log })
    const { head } = value(await host.createRepository(fresh, request))
    expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
    expect(warnings).toMatchObject([{ repository: 'acme/fresh', team: TEAM, status }])
  })

  test('that GitHub calls otherwise is no success', async () => {
    await using fixture = await openGitHub()
    const { github, host } = fixture
    const rename = (body: unknown) => ({
      ...(body as object),
      name: 'fre-sh',
      full_name: 'acme/fre-sh',
    })
    github.fail({ on: 'repos/create-in-org', fault: { kind: 'alter', alter: rename } })
    expect(await host.createRepository(fresh, request)).toMatchObject({
      ok: false,
      error: { kind: 'git_host_error' },
    })
  })

  test('whose name has a repository that we may not see is git_repository_exists', async () => {
    await using fixture = await openGitHub({ replicationWaitsMs: [0, 0] })
    const { github, host } = fixture
    const body = {
      message: 'Repository creation failed.',
      errors: [{ resource: 'Repository', message: 'name already exists on this account' }],
    }
    github.fail({
      on: 'repos/create-in-org',
      times: 10,
      fault: { kind: 'answer', status: 422, body },
    })
    expect(await host.createRepository(fresh, request)).toStrictEqual(
      failure({ kind: 'git_repository_exists' }),
    )
    expect(github.arrivals.filter(({ name }) => name === 'repos/get').length).toBe(4)
  })

  test('that another replica does not have yet is found all the same', async () => {
    await using fixture = await openGitHub({ replicationWaitsMs: [0, 0] })
    const { github, host } = fixture
    const lost = { on: 'repos/create-in-org', fault: { kind: 'reset', after: true } } as const
    github.fail(lost)
    github.fail({ on: 'repos/get', times: 3, fault: { kind: 'answer', status: 404, body: {} } })
    expect((await host.createRepository(fresh, request)).ok).toBe(false)
    expect(value(await host.createRepository(fresh, request)).created).toBe(true)
  })

  test('needs the right to write workflows where it has some', async () => {
    await using fixture = await openGitHub({ replicationWaitsMs: [0] })
    const { github, seeded, host } = fixture
    const { workflows: _, ...rights } = EVERY_RIGHT
    github.addCredential(TOKEN, { account: seeded.owner, rights })
    const files = [...request.files, write('.github/workflows/ci.yaml', 'on: push\n')]
    expect(await host.createRepository(fresh, { ...request, files })).toStrictEqual(
      failure({ kind: 'git_denied', what: 'workflows: write on acme/fresh' }),
    )
    value(await host.createRepository(fresh, request))
  })

  test('is marked for good: a person may change everything but the homepage', async () => {
    await using fixture = await openGitHub()
    const { github, host } = fixture
    const { head } = value(await host.createRepository(fresh, request))
    const made = github.state.repositories.get('acme/fresh')
    if (made === undefined) throw new Error('not made')
    made.description = 'Changed by a person'
    const again = value(await fixture.another().createRepository(fresh, request))
    expect([again.created, again.head]).toStrictEqual([false, head])
    made.homepage = null
    expect(await host.createRepository(fresh, request)).toStrictEqual(
      failure({ kind: 'git_repository_exists' }),
    )
  })
})
