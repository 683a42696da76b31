import { expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
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
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { type FakeFixture, openFake, optionsFor } from './open-gitea.ts'

/** The effect without its answer: `github/lost-answers.test.ts` has the other faults, of the code that all hosts share. */
const LOST: Fault = { kind: 'reset', after: true }

const headOf = async ({ host, repository }: FakeFixture) => value(await host.head(repository))

test('a pull request whose opening has lost its answer is found again, and opened once', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const head = await headOf(fixture)
  await host.commit(repository, {
    branch: branch('topic'),
    from: { kind: 'create', parent: head.commit },
    changes: [write('x', 'x')],
    message: 'Change',
    author: AUTHOR,
  })
  gitea.fail({ on: 'repoCreatePullRequest', fault: LOST })
  const request = { head: branch('topic'), base: MAIN, title: 't', body: 'b', author: AUTHOR }
  const opened = value(await host.openPullRequest(repository, request))
  expect(opened.created).toBe(true)
  expect(value(await host.findPullRequests(repository, {}))).toStrictEqual([opened.pullRequest])
})

test('a commit whose push arrives twice is made, although git refuses the second', async () => {
  await using fixture = await openFake()
  const { repository, server } = fixture
  using twice = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const url = incoming.url.replace(/^http:\/\/[^/]+/, server.url)
      const { method, headers } = incoming
      const body = method === 'GET' ? undefined : await incoming.bytes()
      const send = () => fetch(url, { method, headers, ...(body !== undefined && { body }) })
      if (url.endsWith('git-receive-pack')) await (await send()).bytes()
      const answer = await send()
      const type = answer.headers.get('content-type') ?? ''
      const { status } = answer
      return new Response(await answer.bytes(), { status, headers: { 'content-type': type } })
    },
  })
  const host = createGitea(optionsFor({ ...server, url: twice.url.origin }))
  const head = await headOf(fixture)
  const made = await host.commit(repository, {
    branch: MAIN,
    from: { kind: 'advance', expected: head.commit },
    changes: [write('x', 'x')],
    message: 'Change',
    author: AUTHOR,
  })
  expect(made).toStrictEqual({ ok: true, value: await headOf(fixture) })
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
    visibility: 'private',
    defaultBranch: branch('trunk'),
    topics: ['portico'],
    teamPermission: 'push',
  },
} as const

/** The writing calls of a creation: POST, push, topics, team, PATCH. */
const STEPS = [1, 2, 3, 4, 5]

test.each(STEPS)(
  'a repository whose creation has lost the answer of call %d is made once, by repeating it',
  async (nth) => {
    await using fixture = await openFake(undefined, furnished)
    const { host, gitea, server } = fixture
    const fresh = repositoryId('acme', 'fresh.service_1')
    gitea.fail({ on: 'any write', nth, fault: LOST })
    const first = await host.createRepository(fresh, request)
    const made = first.ok ? first : await host.createRepository(fresh, request)
    const { head, url } = value(made)
    expect(url).toContain('acme/fresh.service_1')
    expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
    expect(String(head.branch)).toBe('trunk')
    const told = await ask(server, 'GET', '/repos/acme/fresh.service_1')
    expect(told.at('description')).toBe('A service')
    expect(told.at('website')).toMatch(/^https:\/\/portico\.example\.org\/#repository-/)
    expect(told.at('topics')).toStrictEqual(['portico'])
    const kept = gitea.state.repository('acme', 'fresh.service_1')
    expect(String(await kept?.git.git(['rev-list', '--count', 'trunk']))).toBe('1\n')
    const again = await host.createRepository(fresh, request)
    expect(again).toStrictEqual({ ok: true, value: { created: false, head, url } })
  },
)

test.each([2, 5])(
  'a repository that is being set up, at call %d, does not exist for readers',
  async (nth) => {
    await using fixture = await openFake(undefined, furnished)
    const { host, gitea } = fixture
    const fresh = repositoryId('acme', 'fresh.service_1')
    const isMissing = { ok: false, error: { kind: 'git_not_found', what: 'repository' } } as const
    gitea.fail({ on: 'any write', nth, times: 100, fault: { kind: 'reset' } })
    expect((await host.createRepository(fresh, request)).ok).toBe(false)
    expect(await host.head(fresh)).toStrictEqual(isMissing)
    expect(await host.listBranches(fresh, '')).toStrictEqual(isMissing)
    expect(await host.findPullRequests(fresh, {})).toStrictEqual(isMissing)
    expect(await host.releases.list(fresh)).toStrictEqual(isMissing)
  },
)

test('the first commit may be noticed late', async () => {
  await using fixture = await openFake(undefined, furnished)
  const { host, gitea } = fixture
  gitea.state.queueLag = 4
  const fresh = repositoryId('acme', 'fresh.service_1')
  const { head } = value(await host.createRepository(fresh, request))
  expect(await host.head(fresh)).toStrictEqual({ ok: true, value: head })
})
