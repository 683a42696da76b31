import { describe, expect, test } from 'bun:test'
import { gitContentContract } from '#tests/contracts/git-content.ts'
import {
  AUTHOR,
  branch,
  bytes,
  hostApiContract,
  MAIN,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { openGitHub } from './open-github.ts'

gitContentContract('git over http', () => openGitHub())
// Every other test is on github.com, mostly with a token.
hostApiContract('GitHub Enterprise Server with an App, whose assets have no redirect', () =>
  openGitHub({ peer: { flavour: 'ghes-3.17', behaviour: { assets: 'direct' } }, access: 'app' }),
)

describe('GitHub', () => {
  test.each(['merge', 'squash', 'rebase'] as const)(
    'a pull request that was merged by %s is merged, at the commit on its base',
    async (method) => {
      await using fixture = await openGitHub()
      const { host, repository, seeded } = fixture
      await commitFiles(seeded, 'main', [{ path: 'base', bytes: bytes('base') }])
      await seeded.git.updateReference('refs/heads/topic', fixture.seed)
      await commitFiles(seeded, 'topic', [{ path: 'topic', bytes: bytes('topic') }])
      const draft = { head: branch('topic'), base: MAIN, title: 'Topic', body: '', author: AUTHOR }
      const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
      await fixture.merge(number, method)
      const [merged] = value(await host.findPullRequests(repository, { number }))
      expect([merged?.state, String(merged?.mergeCommit)]).toStrictEqual([
        'merged',
        String(await seeded.git.reference('refs/heads/main')),
      ])
    },
  )

  test('a repository is made although it is hidden and then empty for a moment', async () => {
    await using fixture = await openGitHub({
      peer: { behaviour: { hiddenCalls: 1, emptyCalls: 1 } },
    })
    const { host } = fixture
    const made = await host.createRepository(repositoryId('acme', 'fresh'), {
      description: 'Fresh',
      marker: 'run-1',
      files: [write('README.md', 'fresh\n')],
      message: 'Initial commit',
      author: AUTHOR,
      team: TEAM,
    })
    expect(value(made).created).toBe(true)
  })

  test('requests name the version of the API, and storage gets no credentials', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    const head = value(await host.head(repository))
    value(await host.listFiles(repository, head))
    const versions = github.arrivals.map(({ headers }) => headers['x-github-api-version'])
    expect(new Set(versions)).toStrictEqual(new Set(['2022-11-28']))
  })
})
