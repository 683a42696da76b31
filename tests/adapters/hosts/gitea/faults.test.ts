import { describe, expect, test } from 'bun:test'
import { AUTHOR, branch, value, write } from '#tests/contracts/git-host.ts'
import type { CallName } from '#tests/peers/gitea/gitea.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

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
