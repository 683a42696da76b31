import { describe, expect, test } from 'bun:test'
import { BranchName } from '#src/lib/names.ts'
import type { GitFailure } from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import {
  AUTHOR,
  branch,
  bytes,
  MAIN,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { openGitHub, type GitHubFixture } from './open-github.ts'

const NOW = Date.UTC(2026, 10, 20)

type Act = (fixture: GitHubFixture) => Promise<Result<unknown, GitFailure>>

const message = 'Change\n\nRun: 1\n'

/** Commits are pushed by git: `hosted/lost-pushes.test.ts`. */
const ACTS: Readonly<Record<string, Act>> = {
  'a pull request': async ({ host, repository }) =>
    await host.openPullRequest(repository, {
      head: branch('proposed'),
      base: MAIN,
      title: 'Promote',
      body: 'Body\n',
      author: AUTHOR,
    }),
  'a repository': async ({ host }) =>
    await host.createRepository(repositoryId('acme', 'fresh'), {
      description: 'Fresh',
      marker: 'run-1',
      files: [write('README.md', 'fresh\n'), write('logo', Uint8Array.of(0, 254))],
      message,
      author: AUTHOR,
      team: TEAM,
    }),
}

async function prepared(): Promise<GitHubFixture> {
  const fixture = await openGitHub({
    peer: { now: () => NOW, behaviour: { defaultBranch: 'master' } },
    repositories: {
      topics: ['portico'],
      teamPermission: 'push',
      visibility: 'public',
      defaultBranch: BranchName.of('trunk'),
    },
    pullRequests: { labels: ['promotion'], reviewers: [{ kind: 'person', name: 'ada' }] },
  })
  await fixture.seeded.git.updateReference('refs/heads/proposed', fixture.seed)
  await commitFiles(fixture.seeded, 'proposed', [{ path: 'proposed', bytes: bytes('x') }])
  return fixture
}

/** Everything that people see, without times. */
async function seen({ github }: GitHubFixture): Promise<object> {
  const repositories = [...github.state.repositories].map(async ([name, repository]) => {
    const { git, description, homepage, topics, teams, visibility, pulls } = repository
    const branches = (await git.references('refs/heads/')).map(async ([reference, id]) => {
      const commit = await readCommit(git, id)
      return [reference, commit?.tree, commit?.message, commit?.parents.length]
    })
    return {
      name,
      description,
      homepage,
      topics,
      visibility,
      teams: [...teams],
      branches: await Promise.all(branches),
      pulls: [...pulls.values()].map(({ title, body, head, base, state }) => ({
        title,
        body,
        head,
        base,
        state,
      })),
    }
  })
  return await Promise.all(repositories)
}

/** Changes at the API, and pushes. */
const writesOf = ({ github }: GitHubFixture) => [
  ...github.arrivals.filter(({ method }) => method !== 'GET'),
  ...github.gitArrivals.filter(({ name }) => name === 'git-receive-pack'),
]

/** Writes whose effect is looked up by the same call. */
const FOUND = new Set(['git-receive-pack', 'pulls/create', 'repos/create-in-org', 'repos/update'])

const LOST: Fault = { kind: 'reset', after: true }
const FAULTS: Readonly<Record<string, Fault>> = {
  'a lost answer': LOST,
  'a 500 after the effect': { kind: 'answer', status: 500, body: { message: 'Oops' }, after: true },
  'half an answer': { kind: 'cut', bytes: 12 },
  'a 502 before the effect': { kind: 'answer', status: 502, body: '<html>' },
}

describe.each(Object.entries(ACTS))('%s', (_, act) => {
  test.each(Object.entries(FAULTS))(
    'is made once in spite of %s, at every write',
    async (_, fault) => {
      const undisturbed = await prepared()
      await using whole = undisturbed
      value(await act(whole))
      const expected = await seen(whole)
      const names = writesOf(whole).map(({ name }) => name)
      expect(names.length).toBeGreaterThan(0)

      for (const [index, name] of names.entries()) {
        await using fixture = await prepared()
        fixture.github.fail({ on: 'any write', nth: index + 1, fault })
        const first = await act(fixture)
        // A caller asks again for what has failed, and for nothing else.
        if (!first.ok) value(await act(fixture))
        if (fault === LOST && FOUND.has(name)) expect([name, first.ok]).toStrictEqual([name, true])
        expect([name, await seen(fixture)]).toStrictEqual([name, expected])
      }
    },
  )
})
