import { describe, expect, test } from 'bun:test'
import { createLeftBranches } from '#src/lib/domain/gitops/left-branches.ts'
import { err } from '#src/lib/result.ts'
import { openLocal } from '#tests/adapters/hosts/open-local.ts'
import {
  advance,
  AUTHOR,
  branch,
  create,
  headOf,
  MAIN,
  value,
  write,
} from '#tests/contracts/git-host.ts'

const HOUR_MS = 60 * 60_000
const RUN = 'scaffold: add payments/shop\n\nPortico-Run: 1\n'
const NOBODYS = 'Promote\n'
const moveOf = (name: string) => `Promote\n\nPortico-Move: ${name}\n`

async function open() {
  const fixture = await openLocal()
  const { host, repository } = fixture
  const clock = { time: Date.now(), now: () => clock.time }
  const base = await headOf(fixture)
  const asked: string[] = []
  const isProtected = new Set<string>()
  const gitHost = {
    ...host,
    findPullRequests: (...[id, filter]: Parameters<typeof host.findPullRequests>) => {
      if ('head' in filter) asked.push(String(filter.head))
      return host.findPullRequests(id, filter)
    },
    removeBranch: async (...[id, head]: Parameters<typeof host.removeBranch>) =>
      isProtected.has(head.branch)
        ? err({ kind: 'git_denied', what: 'it is protected' } as const)
        : host.removeBranch(id, head),
  }
  const left = createLeftBranches({ gitHost, repository, clock })
  return {
    host,
    repository,
    clock,
    asked,
    protect: (name: string) => isProtected.add(name),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
    async leave(name: string, message = moveOf(name)) {
      const request = { ...create(base, branch(name), write('x', name)), message }
      return value(await host.commit(repository, request))
    },
    commit: async (head: Awaited<ReturnType<typeof headOf>>, message: string) =>
      value(await host.commit(repository, { ...advance(head, write('y', '')), message })),
    async propose(head: string) {
      const request = { head: branch(head), base: MAIN, title: 't', body: '', author: AUTHOR }
      return value(await host.openPullRequest(repository, request)).pullRequest.number
    },
    async sweepAfter(hours: number) {
      clock.time += hours * HOUR_MS
      return value(await left.sweep()).map(({ branch }) => String(branch))
    },
    branches: async () => value(await host.listBranches(repository, '')).map(String),
  }
}

describe('branches without a pull request', () => {
  test('are removed when they are a day old', async () => {
    await using repository = await open()
    const names = ['promote/a/b/dev', 'deprecate/a/b', 'lifecycle/a/b/dev']
    for (const name of names) await repository.leave(name)
    await repository.leave('promote/a/b/dev.2', moveOf('promote/a/b/dev'))
    await repository.leave('scaffold/a/c', RUN)
    expect(await repository.sweepAfter(23)).toStrictEqual([])
    expect(await repository.sweepAfter(2)).toStrictEqual([
      'promote/a/b/dev',
      'promote/a/b/dev.2',
      'deprecate/a/b',
      'lifecycle/a/b/dev',
      'scaffold/a/c',
    ])
    expect(await repository.branches()).toStrictEqual(['main'])
  })

  test('stay with a pull request, open or ended, with the work of others, and elsewhere', async () => {
    await using repository = await open()
    await repository.leave('promote/a/open/dev')
    await repository.propose('promote/a/open/dev')
    await repository.leave('promote/a/closed/dev')
    const number = await repository.propose('promote/a/closed/dev')
    value(await repository.host.closePullRequest(repository.repository, number, AUTHOR))
    await repository.leave('promote/a/nobodys/dev', NOBODYS)
    const own = await repository.leave('promote/a/shared/dev')
    await repository.commit(own, NOBODYS)
    // Somebody went on from ours under a name of their own.
    await repository.leave('promote/a/b/dev-fix', moveOf('promote/a/b/dev'))
    await repository.leave('scaffold/a/b/more', RUN)
    await repository.leave('feature/a')
    const before = await repository.branches()
    expect(await repository.sweepAfter(25)).toStrictEqual([])
    expect(await repository.branches()).toStrictEqual(before)
    // They are not asked about again.
    repository.asked.splice(0)
    expect(await repository.sweepAfter(25)).toStrictEqual([])
    expect(repository.asked).toStrictEqual([])
  })

  test('that cannot be removed are in the way of no other', async () => {
    await using repository = await open()
    for (const name of ['promote/a/a/dev', 'promote/a/b/dev']) await repository.leave(name)
    repository.protect('promote/a/a/dev')
    expect(await repository.sweepAfter(25)).toStrictEqual(['promote/a/b/dev'])
    expect(await repository.branches()).toStrictEqual(['main', 'promote/a/a/dev'])
  })

  test('are looked for once an hour, and some at a time', async () => {
    await using repository = await open()
    for (let index = 0; index < 60; index++) await repository.leave(`promote/a/b${index}/dev`)
    expect((await repository.sweepAfter(25)).length).toBe(50)
    expect(await repository.sweepAfter(0.5)).toStrictEqual([])
    expect((await repository.sweepAfter(0.6)).length).toBe(10)
  })
})
