import { describe, expect, test } from 'bun:test'
import { AUTHOR, branch, oid, value, write } from '#tests/contracts/git-host.ts'
import type { CallName } from '#tests/peers/gitea/gitea.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

const HTML: Fault = { kind: 'answer', status: 502, body: '<html>bad gateway</html>' }
const limited = (seconds: number): Fault => ({
  kind: 'answer',
  status: 429,
  body: { message: 'slow down' },
  headers: { 'retry-after': String(seconds) },
})
const count = ({ gitea }: FakeFixture, name: CallName) =>
  [...gitea.arrivals, ...gitea.gitArrivals].filter((arrival) => arrival.name === name).length
const change = (file: string) => ({
  branch: branch('topic'),
  changes: [write(file, 'x')],
  message: 'Change',
  author: AUTHOR,
})

describe('G3: a rate limit', () => {
  test('is told with its end, and no call is made while it lasts', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    gitea.fail({ on: 'repoListGitRefs', fault: limited(3 * 3600) })
    const refused = await host.head(repository)
    expect(refused).toMatchObject({ ok: false, error: { kind: 'git_rate_limited' } })
    gitea.arrivals.splice(0)
    const again = await host.head(repository)
    expect(again).toMatchObject({ ok: false, error: { kind: 'git_rate_limited' } })
    const seconds = !again.ok && 'retryAfterSeconds' in again.error && again.error.retryAfterSeconds
    expect(Number(seconds)).toBeGreaterThan(2 * 3600)
    expect((await host.releases.list(repository)).ok).toBe(false)
    expect(gitea.arrivals).toStrictEqual([])
  })

  test('of a push leaves the branch alone', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const head = value(await host.head(repository))
    gitea.fail({ on: 'git-receive-pack', fault: limited(60) })
    const from = { kind: 'create', parent: head.commit } as const
    expect(await host.commit(repository, { ...change('x'), from })).toMatchObject({
      error: { kind: 'git_rate_limited' },
    })
    expect(count(fixture, 'git-receive-pack')).toBe(2)
  })
})

describe('G4: an answer of somebody else', () => {
  test('is asked for twice more when nothing is written, and is then a failure', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    gitea.fail({ on: 'repoListGitRefs', times: 2, fault: HTML })
    expect((await host.head(repository)).ok).toBe(true)
    expect(count(fixture, 'repoListGitRefs')).toBeGreaterThanOrEqual(3)
    gitea.fail({ on: 'repoListGitRefs', times: 3, fault: HTML })
    gitea.arrivals.splice(0)
    expect(await host.head(repository)).toMatchObject({ error: { kind: 'git_host_unreachable' } })
    expect(count(fixture, 'repoListGitRefs')).toBe(3)
  })

  test.each<readonly [string, Fault]>([
    ['half a JSON', { kind: 'cut', bytes: 1 }],
    ['a JSON that is announced longer', { kind: 'length', by: 10 }],
    ['a page in place of JSON', { kind: 'answer', status: 200, body: '<html>sign in</html>' }],
    ['a reset', { kind: 'reset' }],
  ])('%s is never an empty catalog', async (_, fault) => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const { commit } = value(await host.head(repository))
    gitea.fail({ on: 'any', times: 100, fault })
    expect((await host.head(repository)).ok).toBe(false)
    const absent = { commit: oid('1'.repeat(40)) }
    expect((await host.listFiles(repository, absent)).ok).toBe(false)
    expect((await host.listBranches(repository, 'main')).ok).toBe(false)
    expect((await host.findPullRequests(repository, {})).ok).toBe(false)
    expect((await host.releases.list(repository)).ok).toBe(false)
    // What is here already needs no host.
    expect((await host.listFiles(repository, { commit })).ok).toBe(true)
    gitea.mend()
    expect((await host.head(repository)).ok).toBe(true)
  })
})

describe('G18', () => {
  test('a renamed default branch is found', async () => {
    await using fixture = await openFake()
    const { host, repository, server } = fixture
    const { commit } = value(await host.head(repository))
    const there = `/repos/${repository.owner}/${repository.name}`
    const trunk = { new_branch_name: 'trunk', old_ref_name: 'main' }
    await ask(server, 'POST', `${there}/branches`, trunk)
    await ask(server, 'PATCH', there, { default_branch: 'trunk' })
    await ask(server, 'DELETE', `${there}/branches/main`)
    expect(await host.head(repository)).toStrictEqual({
      ok: true,
      value: { branch: branch('trunk'), commit },
    })
  })

  test('a repository that is gone is not found, and not empty', async () => {
    await using fixture = await openFake()
    const { host, repository, server } = fixture
    const { commit } = value(await host.head(repository))
    await ask(server, 'DELETE', `/repos/${repository.owner}/${repository.name}`)
    const gone = { ok: false, error: { kind: 'git_not_found', what: 'repository' } } as const
    expect(await host.head(repository)).toStrictEqual(gone)
    expect(await host.listBranches(repository, 'main')).toStrictEqual(gone)
    expect(await host.findPullRequests(repository, {})).toStrictEqual(gone)
    expect((await host.listFiles(repository, { commit })).ok).toBe(false)
  })
})
