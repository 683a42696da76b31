import { expect, test } from 'bun:test'
import { createGitLab } from '#src/lib/adapters/hosts/gitlab/index.ts'
import {
  AUTHOR,
  branch,
  MAIN,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { countCommits } from '#tests/peers/forge/forge.ts'
import { type FakeFixture, openFake, optionsFor } from './open-gitlab.ts'

/** The effect without its answer: `github/lost-answers.test.ts` has the other faults, of the code that all hosts share. */
const LOST: Fault = { kind: 'reset', after: true }

async function propose({ host, repository }: FakeFixture) {
  const { commit } = value(await host.head(repository))
  const from = { kind: 'create', parent: commit } as const
  const change = { changes: [write('x', 'x')], message: 'Change', author: AUTHOR }
  value(await host.commit(repository, { branch: branch('topic'), from, ...change }))
  return { head: branch('topic'), base: MAIN, title: 't', body: 'b\n', author: AUTHOR }
}

test('a merge request whose opening has lost its answer is found again, and opened once', async () => {
  await using fixture = await openFake()
  const { host, repository, gitlab, project } = fixture
  const request = await propose(fixture)
  gitlab.fail({ on: 'createMergeRequest', fault: LOST })
  const opened = value(await host.openPullRequest(repository, request))
  expect(opened.created).toBe(true)
  expect(value(await host.findPullRequests(repository, {}))).toStrictEqual([opened.pullRequest])
  expect(project.mergeRequests.length).toBe(1)
})

const request = {
  description: 'A service',
  team: TEAM,
  marker: 'run-1',
  files: [write('README.md', 'hello'), write('run', 'x', true)],
  message: 'Initial commit',
  author: AUTHOR,
}
const furnished = {
  repositories: {
    visibility: 'internal',
    defaultBranch: branch('trunk'),
    topics: ['portico'],
    teamPermission: 'maintain',
  },
} as const

/** The writing calls of a creation: POST, push, share, PUT. */
const STEPS = [1, 2, 3, 4]

const owner = 'acme/platform'

test.each(STEPS)(
  'a project whose creation has lost the answer of call %d is made once, by repeating it',
  async (nth) => {
    await using fixture = await openFake(owner, furnished)
    const { host, gitlab } = fixture
    const fresh = repositoryId(owner, 'fresh.service_1')
    gitlab.fail({ on: 'any write', nth, fault: LOST })
    const first = await host.createRepository(fresh, request)
    const made = first.ok ? first : await host.createRepository(fresh, request)
    const { head, url } = value(made)
    expect(url).toBe(`${gitlab.url}/${owner}/fresh.service_1.git`)
    expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
    expect(String(head.branch)).toBe('trunk')
    const created = gitlab.state.projects.filter(({ path }) => path === 'fresh.service_1')
    const [project] = created
    if (project === undefined) throw new Error('no project')
    expect(created.length).toBe(1)
    expect(project).toMatchObject({ visibility: 'internal', topics: ['portico'] })
    expect(project.description).toMatch(
      /^A service\n\n\[Made by Portico\]\(https:\/\/portico\.example\.org\/#repository-[0-9a-f]{32}\)$/,
    )
    expect(project.shares.map(({ group, level }) => [group.path, level])).toStrictEqual([
      [`${owner}/payments`, 40],
    ])
    expect(await countCommits(project.git, 'trunk')).toBe(1)
    const again = await host.createRepository(fresh, request)
    expect(again).toStrictEqual({ ok: true, value: { created: false, head, url } })
  },
)

test.each([2, 4])('a project that is being set up, at call %d, does not exist', async (nth) => {
  await using fixture = await openFake('acme', furnished)
  const { host, gitlab } = fixture
  const fresh = repositoryId('acme', 'fresh')
  const isMissing = { ok: false, error: { kind: 'git_not_found', what: 'repository' } } as const
  gitlab.fail({ on: 'any write', nth, times: 100, fault: { kind: 'reset' } })
  expect((await host.createRepository(fresh, request)).ok).toBe(false)
  expect(await host.head(fresh)).toStrictEqual(isMissing)
  expect(await host.findPullRequests(fresh, {})).toStrictEqual(isMissing)
  expect(await host.releases.list(fresh)).toStrictEqual(isMissing)
})

test('two processes with one marker make one project', async () => {
  await using fixture = await openFake('acme', furnished)
  const { gitlab } = fixture
  const fresh = repositoryId('acme', 'fresh')
  const hosts = [1, 2].map(() => createGitLab({ ...optionsFor(gitlab), ...furnished }))
  const made = await Promise.all(hosts.map((host) => host.createRepository(fresh, request)))
  const values = made.map(value)
  expect(new Set(values.map(({ head }) => head.commit)).size).toBe(1)
  expect(gitlab.state.projects.filter(({ path }) => path === 'fresh').length).toBe(1)
})

test('the first push may be noticed late', async () => {
  await using fixture = await openFake('acme', furnished)
  const { host, gitlab } = fixture
  gitlab.state.queueLag = 4
  const fresh = repositoryId('acme', 'fresh')
  const { head } = value(await host.createRepository(fresh, request))
  expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
})
