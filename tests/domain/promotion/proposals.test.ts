import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BranchName } from '#src/lib/names.ts'
import { commitMessage, moveIn, nameOf, trailerOf } from '#src/lib/domain/promotion/move.ts'
import { type Proposal, writeProposal } from '#src/lib/domain/promotion/proposal.ts'
import { err, ok } from '#src/lib/result.ts'
import { openPromotion } from '#tests/peers/open-promotion.ts'
import { PATCH } from '#tests/support/live-overlay.ts'
import { GITOPS, path } from '#tests/support/portal.ts'
import * as world from './kill-world.ts'

const HOUR_MS = 60 * 60_000
const BRANCH = BranchName.of('promote/payments/shop/dev')

/** Two replicas; the first one stops for ever before a call of the git host. */
async function openReplicas(
  stopsBefore: 'commit' | 'openPullRequest' | 'requesters' | 'nothing',
  prepare = world.prepare,
) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-left-behind-'))
  await prepare(directory)
  const stopped = Promise.withResolvers<void>()
  const one = await openPromotion(directory, (port, effects) => {
    // A stopped process renews nothing.
    if ('renew' in port) return { ...port, renew: async () => ok(undefined) }
    const name = effects.find(
      (each) => each === (stopsBefore === 'requesters' ? 'note' : stopsBefore),
    )
    if (name === undefined) return port
    const forever = () => {
      stopped.resolve()
      return new Promise<never>(() => {})
    }
    return { ...port, [name]: forever }
  })
  const outage = { openPullRequest: 0, note: 0 }
  const two = await openPromotion(directory, (port, effects) => {
    const name = effects.find((each) => each === 'openPullRequest' || each === 'note')
    const call: unknown = name && port[name]
    if (name === undefined || typeof call !== 'function' || 'renew' in port) return port
    const fails = name === 'note' ? 'note' : 'openPullRequest'
    const mayFail = (...args: unknown[]): unknown =>
      outage[fails]-- > 0
        ? Promise.resolve(err({ kind: 'git_host_unreachable' }))
        : Reflect.apply(call, port, args)
    return { ...port, [name]: mayFail }
  })
  return {
    one,
    two,
    /** Calls that fail in the second replica. */
    outage,
    stopped: stopped.promise,
    repository: join(directory, 'git/acme/gitops.git'),
    census: () => world.census(directory),
    unfinished: () => two.leases.listUnfinished(10),
    fileAt: (ref: string, file: string) => world.fileAt(directory, ref, file),
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]()
      await two[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const NOTHING_ELSE = { ...world.ONE_OF_EACH, pulls: [] }

describe('a process that died between branch and pull request', () => {
  test('is finished by another one, when its lease is over', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    expect(await replicas.census()).toStrictEqual(NOTHING_ELSE)
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'started' }] })
    await two.sweep()
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'done', details: expect.stringContaining('"pullRequest":1') }],
    })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(two.events).toStrictEqual([{ kind: 'finished', move: BRANCH, pullRequest: 1 }])
    expect(two.told).toStrictEqual({ announced: 1 })
    const pulls = await two.gitHost.findPullRequests(GITOPS, {})
    expect(pulls).toMatchObject({
      value: [
        {
          title: '[Promote] payments/shop → dev',
          body: expect.stringContaining('Secrets at `payments/shop/dev/env`: `A`, `B`'),
          createdBy: 'Ann',
        },
      ],
    })
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann', name: 'Ann' })
    await two.sweep()
    expect(two.events).toHaveLength(1)
    const again = await two.promote()
    expect(again).toMatchObject({ value: { proposed: { created: false, updated: false } } })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
  })

  test.each(['looks', 'asks'] as const)('of a release: another one %s', async (act) => {
    await using replicas = await openReplicas('openPullRequest', world.prepareLive)
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    expect(await replicas.census()).toStrictEqual(NOTHING_ELSE)
    if (act === 'asks') {
      expect(await two.promote()).toMatchObject({
        value: { kind: 'release', secretVersion: 1, proposed: { created: true, branch: BRANCH } },
      })
    } else {
      await two.sweep()
    }
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await replicas.fileAt(BRANCH, world.PATCH_PATH)).toBe(PATCH)
    await two.sweep()
    await two.sweep()
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann' })
  })

  test('or right after the pull request: whoever asked for it is known', async () => {
    await using replicas = await openReplicas('requesters')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    expect(await two.requesterOf(1)).toBeUndefined()
    await two.sweep()
    await two.sweep()
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann', name: 'Ann' })
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'done' }] })
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
    expect(two.events).toStrictEqual([])
  })

  test('a proposal is unfinished until it is known who asked', async () => {
    await using replicas = await openReplicas('nothing')
    const { two, outage } = replicas
    outage.note = 2
    expect((await two.promote()).ok).toBe(true)
    await two.sweep()
    expect(await two.requesterOf(1)).toBeUndefined()
    await two.sweep()
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann', name: 'Ann' })
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
  })

  test('is looked at again after a failure that passes', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two, outage } = replicas
    void one.promote()
    await replicas.stopped
    outage.openPullRequest = 1
    await two.sweep()
    expect(two.events).toMatchObject([{ failure: { kind: 'git_host_unreachable' } }])
    await two.sweep()
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
  })

  test('is forgotten after an hour: nobody expects it any more', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    two.clock.aheadMs = HOUR_MS
    await two.sweep()
    expect(await replicas.census()).toStrictEqual(NOTHING_ELSE)
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
  })

  test('left a branch that somebody changed, which is not proposed for them', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    const head = await two.gitHost.head(GITOPS, BRANCH)
    if (!head.ok) throw new Error(head.error.kind)
    await two.gitHost.commit(GITOPS, {
      branch: BRANCH,
      from: { kind: 'advance', expected: head.value.commit },
      changes: [{ kind: 'write', path: path('evil.yaml'), bytes: new Uint8Array([1]) }],
      message: 'Smuggle',
      author: { name: 'E', email: 'e@e.example' },
    })
    await two.sweep()
    expect(await replicas.census()).toStrictEqual(NOTHING_ELSE)
    expect(two.events).toStrictEqual([])
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
  })

  test('before the default branch moved on: its branch is used', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    const main = await two.gitHost.head(GITOPS)
    if (!main.ok) throw new Error(main.error.kind)
    await two.gitHost.commit(GITOPS, {
      branch: main.value.branch,
      from: { kind: 'advance', expected: main.value.commit },
      changes: [{ kind: 'write', path: path('other.yaml'), bytes: new Uint8Array([1]) }],
      message: 'Something else',
      author: { name: 'E', email: 'e@e.example' },
    })
    expect(await two.promote()).toMatchObject({
      value: { proposed: { created: true, branch: BRANCH } },
    })
    expect((await replicas.census()).branches).toStrictEqual(world.ONE_OF_EACH.branches)
  })

  test('and whose branch somebody replaced by a merge that takes back what is on the default branch', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two, repository } = replicas
    void one.promote()
    await replicas.stopped
    const main = await two.gitHost.head(GITOPS)
    if (!main.ok) throw new Error(main.error.kind)
    const { branch, commit: before } = main.value
    await two.gitHost.commit(GITOPS, {
      branch,
      from: { kind: 'advance', expected: before },
      changes: [{ kind: 'write', path: path('other.yaml'), bytes: new Uint8Array([1]) }],
      message: 'Something else',
      author: { name: 'E', email: 'e@e.example' },
    })
    const git = ['git', '-C', repository, '-c', 'user.name=E', '-c', 'user.email=e@e.example']
    const merge =
      await Bun.$`${git} commit-tree ${BRANCH}^{tree} -p ${before} -p ${branch} -m Smuggle`.text()
    await Bun.$`${git} update-ref refs/heads/${BRANCH} ${merge.trim()}`
    expect(await two.promote()).toMatchObject({ value: { proposed: { branch: `${BRANCH}.2` } } })
  })

  test('left a branch with other files: the next request writes its own there', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    expect(await two.promote(3)).toMatchObject({
      value: { proposed: { created: true, branch: BRANCH } },
    })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await replicas.fileAt(BRANCH, world.PATCH_PATH)).toContain('replicas: 3')
    expect(await replicas.unfinished()).toStrictEqual(ok([]))
  })

  test('left a branch to which somebody has copied its mark: nothing of theirs is proposed', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    const [main, head] = [await two.gitHost.head(GITOPS), await two.gitHost.head(GITOPS, BRANCH)]
    if (!head.ok || !main.ok) throw new Error('the test is wrong')
    await two.gitHost.commit(GITOPS, {
      branch: BRANCH,
      from: { kind: 'replace', expected: head.value.commit, parent: main.value.commit },
      changes: [{ kind: 'write', path: path('evil.yaml'), bytes: new Uint8Array([1]) }],
      message: `Smuggle\n\nPortico-Move: ${BRANCH}\n`,
      author: { name: 'E', email: 'e@e.example' },
    })
    await two.sweep()
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await replicas.fileAt(BRANCH, world.PATCH_PATH)).toContain('replicas: 2')
    const evil = await Bun.$`git -C ${replicas.repository} ls-tree ${BRANCH} evil.yaml`.text()
    expect(evil).toBe('')
  })

  test('or before the branch: nobody proposes in its place', async () => {
    await using replicas = await openReplicas('commit')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    for (let look = 0; look < 3; look += 1) await two.sweep()
    expect((await replicas.census()).pulls).toStrictEqual([])
    expect((await two.promote()).ok).toBe(true)
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
  })
})

test('work that this version cannot read stays for the one that wrote it', async () => {
  await using replicas = await openReplicas('nothing')
  const { two } = replicas
  const lease = { holder: 'x', until: 1 }
  for (const [index, work] of ['', '{}', '{"move":{"team":"../x"}}'].entries()) {
    await two.leases.take(`${index}`, lease, null)
    await two.leases.note(`${index}`, 'x', work)
    await two.leases.release(`${index}`, 'x')
  }
  await two.sweep()
  expect(await replicas.unfinished()).toMatchObject({ value: { length: 3 } })
  expect(two.events).toStrictEqual([])
})

const LOCK = 'payments/shop/dev'

/** Work at the lock of the promotion, by a process that died. */
async function leave({ leases }: Awaited<ReturnType<typeof openPromotion>>, work: string) {
  await leases.take(LOCK, { holder: 'x', until: 1 }, null)
  await leases.note(LOCK, 'x', work)
  await leases.release(LOCK, 'x')
}

test('work of another move at the same lock is finished first', async () => {
  await using replicas = await openReplicas('nothing')
  const { two } = replicas
  const move = moveIn('Portico-Move: lifecycle/payments/shop/dev')
  const base = await two.gitHost.head(GITOPS)
  if (!base.ok || move === undefined) throw new Error('the test is wrong')
  const author = { name: 'Bob', email: 'b@b.example' }
  const proposal: Proposal = {
    repository: GITOPS,
    base: base.value,
    move,
    changes: [{ kind: 'write', path: path('other.yaml'), bytes: new Uint8Array([120]) }],
    title: '[Lifecycle] payments/shop → dev',
    message: commitMessage(move, 'lifecycle'),
    body: trailerOf(move),
    author,
    askedBy: { subject: 'bob', name: 'Bob' },
  }
  await two.gitHost.commit(GITOPS, {
    ...proposal,
    branch: nameOf(move),
    from: { kind: 'create', parent: base.value.commit },
  })
  await leave(two, writeProposal(proposal, Date.now()))
  expect(await two.promote()).toMatchObject({ value: { proposed: { created: true } } })
  expect(await two.requesterOf(1)).toMatchObject({ subject: 'bob' })
  expect(await two.requesterOf(2)).toMatchObject({ subject: 'ann' })
  expect(await replicas.unfinished()).toStrictEqual(ok([]))
})

test('work of a newer version at the same lock stays', async () => {
  await using replicas = await openReplicas('nothing')
  const { two } = replicas
  await leave(two, '{}')
  expect((await two.promote()).ok).toBe(true)
  expect(await two.leases.take(LOCK, { holder: 'y', until: 1 }, null)).toStrictEqual(
    ok({ kind: 'taken', work: '{}' }),
  )
})

test('a proposal that is done leaves no work', async () => {
  await using replicas = await openReplicas('nothing')
  const { one, two } = replicas
  await one.promote()
  expect(await replicas.unfinished()).toStrictEqual(ok([]))
  await two.sweep()
  expect(two.events).toStrictEqual([])
})
