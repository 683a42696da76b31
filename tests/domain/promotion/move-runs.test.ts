import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BranchName, type RunId } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { openPromotion } from '#tests/peers/open-promotion.ts'
import { PATCH } from '#tests/support/live-overlay.ts'
import { GITOPS, path } from '#tests/support/portal.ts'
import { until } from '#tests/support/until.ts'
import * as world from './kill-world.ts'
import { commitFiles } from '#tests/support/commit-files.ts'
import { valueOf } from '#tests/support/value-of.ts'

const HOURS_MS = 60 * 60_000
const BRANCH = BranchName.of('promote/payments/shop/dev')

type Call = 'merge' | 'commit' | 'openPullRequest' | 'note'

/** Two replicas; the first one stops before a call, until it is told to go on. */
async function openReplicas(stopsBefore?: Call, prepare = world.prepare) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-moves-'))
  await prepare(directory)
  const [stopped, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const one = await openPromotion(directory, (port, effects) => {
    // A stopped process renews nothing.
    if ('renew' in port) return { ...port, renew: async () => ok(true) }
    const name = effects.find((each) => each === stopsBefore)
    if (name === undefined) return port
    const call: unknown = port[name]
    if (typeof call !== 'function') throw new Error('the test is wrong')
    const later = async (...args: unknown[]) => {
      stopped.resolve()
      await going.promise
      const answer: unknown = await Reflect.apply(call, port, args)
      return answer
    }
    return { ...port, [name]: later }
  })
  /** Failures of the second replica, in turn; what is `lost` has happened all the same. */
  const failing: Partial<Record<Call, object[]>> = {}
  const lost: Partial<Record<Call, object[]>> = {}
  const two = await openPromotion(directory, (port, effects) => {
    const copy = { ...port } as Record<PropertyKey, unknown>
    for (const name of effects) {
      const call: unknown = port[name]
      if (typeof call !== 'function') throw new Error('the test is wrong')
      copy[name] = async (...args: unknown[]): Promise<unknown> => {
        const unanswered = lost[name as Call]?.shift()
        if (unanswered !== undefined) {
          await Reflect.apply(call, port, args)
          return err(unanswered)
        }
        const failure = failing[name as Call]?.shift()
        const answer: unknown =
          failure === undefined ? await Reflect.apply(call, port, args) : err(failure)
        return answer
      }
    }
    return copy as unknown as typeof port
  })
  const runOf = async (answer: Awaited<ReturnType<typeof two.promote | typeof two.confirm>>) => {
    if (answer.ok || answer.error.kind !== 'waiting') throw new Error('the move does not wait')
    return answer.error.runId
  }
  return {
    one,
    two,
    failing,
    lost,
    stopped: stopped.promise,
    goOn: going.resolve,
    repository: join(directory, 'git/acme/gitops.git'),
    census: () => world.census(directory),
    fileAt: (ref: string, file: string) => world.fileAt(directory, ref, file),
    runOf,
    /** The run when it has ended. */
    async ended(id: RunId) {
      let run = await two.run(id)
      await until(async () => {
        run = await two.run(id)
        return run.ok && run.value.status !== 'running'
      })
      if (!run.ok) throw new Error(run.error.kind)
      return run.value
    },
    /** Until the second replica has ended a run. */
    async finishes() {
      two.start()
      await until(() => two.events.some(({ kind }) => kind === 'run_ended'))
    },
    async commitToMain(changes: Readonly<Record<string, string>>) {
      const main = valueOf(await two.gitHost.head(GITOPS))
      valueOf(await commitFiles(two.gitHost, GITOPS, changes))
      return main
    },
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]()
      await two[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const UNREACHABLE = { kind: 'git_host_unreachable' }

describe('a process that died', () => {
  test('between branch and pull request is followed by another one when its lease is over', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    expect((await replicas.census()).pulls).toStrictEqual([])
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'started' }] })
    await replicas.finishes()
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'done', details: expect.stringContaining('"pullRequest":1') }],
    })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
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
    const again = await two.promote()
    expect(again).toMatchObject({ value: { proposed: { created: false, updated: false } } })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
  })

  test.each(['commit', 'note'] as const)('before %s too', async (call) => {
    await using replicas = await openReplicas(call)
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    await replicas.finishes()
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann', name: 'Ann' })
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'done' }] })
  })

  test('before its secrets has proposed nothing, and nothing is', async () => {
    await using replicas = await openReplicas('merge')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    two.start()
    await until(async () => {
      const rows = await two.auditRows()
      return rows.ok && rows.value[0]?.result === 'failed'
    })
    expect(await two.auditRows()).toMatchObject({ value: [{ code: 'run_interrupted' }] })
    expect((await replicas.census()).branches).toStrictEqual(['refs/heads/main'])
    expect((await two.promote()).ok).toBe(true)
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
  })

  test('in a release: who asks again waits for it, and finds its pull request', async () => {
    await using replicas = await openReplicas('openPullRequest', world.prepareLive)
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    two.start()
    expect(await two.promote()).toMatchObject({
      value: { kind: 'release', secretVersion: 1, proposed: { created: false, branch: BRANCH } },
    })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await replicas.fileAt(BRANCH, world.PATCH_PATH)).toBe(PATCH)
  })

  test('and has asked for something else: its pull request is updated', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    two.start()
    expect(await two.promote({ replicas: 3 })).toMatchObject({
      value: { proposed: { created: false, updated: true, branch: BRANCH } },
    })
    expect(await replicas.fileAt(BRANCH, world.PATCH_PATH)).toContain('replicas: 3')
  })

  test('is not followed after two hours: nobody expects it any more', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    two.clock.aheadMs = 2 * HOURS_MS
    await replicas.finishes()
    expect((await replicas.census()).pulls).toStrictEqual([])
    expect(await two.auditRows()).toMatchObject({ value: [{ code: 'run_interrupted' }] })
  })

  test('before the default branch moved on: its branch is used', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two } = replicas
    void one.promote()
    await replicas.stopped
    await replicas.commitToMain({ 'other.yaml': 'x' })
    await replicas.finishes()
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann' })
    expect((await replicas.census()).branches).toStrictEqual(world.ONE_OF_EACH.branches)
  })

  test.each([
    ['a commit of theirs', 'advance', `${BRANCH}.2`],
    ['a copy of its mark', 'replace', BRANCH],
  ] as const)(
    'left a branch to which somebody has put %s: nothing of theirs is proposed',
    async (_, kind, branch) => {
      await using replicas = await openReplicas('openPullRequest')
      const { one, two } = replicas
      void one.promote()
      await replicas.stopped
      const [main, head] = [await two.gitHost.head(GITOPS), await two.gitHost.head(GITOPS, BRANCH)]
      if (!head.ok || !main.ok) throw new Error('the test is wrong')
      const expected = head.value.commit
      await two.gitHost.commit(GITOPS, {
        branch: BRANCH,
        from:
          kind === 'advance' ? { kind, expected } : { kind, expected, parent: main.value.commit },
        changes: [{ kind: 'write', path: path('evil.yaml'), bytes: new Uint8Array([1]) }],
        message: kind === 'advance' ? 'Smuggle' : `Smuggle\n\nPortico-Move: ${BRANCH}\n`,
        author: { name: 'E', email: 'e@e.example' },
      })
      await replicas.finishes()
      const pulls = await two.gitHost.findPullRequests(GITOPS, {})
      expect(pulls).toMatchObject({ value: [{ head: { branch } }] })
      expect(await replicas.fileAt(branch, world.PATCH_PATH)).toContain('replicas: 2')
      const evil = await Bun.$`git -C ${replicas.repository} ls-tree ${branch} evil.yaml`.text()
      expect(evil).toBe('')
    },
  )

  test('and whose branch somebody replaced by a merge that takes back what is on the default branch', async () => {
    await using replicas = await openReplicas('openPullRequest')
    const { one, two, repository } = replicas
    void one.promote()
    await replicas.stopped
    const { commit: before } = await replicas.commitToMain({ 'other.yaml': 'x' })
    const git = ['git', '-C', repository, '-c', 'user.name=E', '-c', 'user.email=e@e.example']
    const merge =
      await Bun.$`${git} commit-tree ${BRANCH}^{tree} -p ${before} -p ${BRANCH} -m Smuggle`.text()
    await Bun.$`${git} update-ref refs/heads/${BRANCH} ${merge.trim()}`
    await replicas.finishes()
    const pulls = await two.gitHost.findPullRequests(GITOPS, {})
    expect(pulls).toMatchObject({ value: [{ head: { branch: `${BRANCH}.2` } }] })
  })
})

test.each(['commit', 'openPullRequest', 'note'] as const)(
  'a process that stalled before %s, and goes on after another one has finished, doubles nothing',
  async (call) => {
    await using replicas = await openReplicas(call)
    const { one, two } = replicas
    const answer = one.promote()
    await replicas.stopped
    await replicas.finishes()
    replicas.goOn()
    const late = await answer
    expect(late.ok || late.error.kind).toBeOneOf([true, 'waiting'])
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann' })
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'done' }] })
  },
)

describe('a move that has to wait', () => {
  test('is answered with its run, which goes on by itself', async () => {
    await using replicas = await openReplicas()
    const { two, failing } = replicas
    two.start()
    failing.openPullRequest = [{ kind: 'git_rate_limited', retryAfterSeconds: 1 }]
    const id = await replicas.runOf(await two.promote())
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'started' }] })
    expect(await two.run(id)).toMatchObject({
      value: {
        status: 'running',
        state: {
          steps: {
            propose: {
              status: 'in_progress',
              message: expect.stringMatching(/trying again in \d s$/),
            },
          },
        },
      },
    })
    expect(await replicas.ended(id)).toMatchObject({
      status: 'complete',
      state: { made: { status: 'pr_open', prNumber: 1, commit: expect.any(String) } },
    })
    expect(await replicas.census()).toStrictEqual(world.ONE_OF_EACH)
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann' })
    expect(await two.auditRows()).toMatchObject({ value: [{ result: 'done' }] })
    const stored = await two.runs.find(id)
    expect(JSON.stringify(stored)).not.toContain('"a"')
  })

  test('while it is not known who asked', async () => {
    await using replicas = await openReplicas()
    const { two, failing } = replicas
    two.start()
    failing.note = [{ kind: 'database_unavailable', reason: 'gone' }]
    const id = await replicas.runOf(await two.promote())
    expect((await replicas.ended(id)).status).toBe('complete')
    expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann', name: 'Ann' })
  })

  test('is answered at once if the client would rather not wait', async () => {
    await using replicas = await openReplicas()
    const { two } = replicas
    const id = await replicas.runOf(await two.promote({ isAsync: true }))
    expect((await replicas.ended(id)).state.made).toMatchObject({ status: 'pr_open', prNumber: 1 })
  })

  test('is joined by the same request, from another replica too', async () => {
    await using replicas = await openReplicas()
    const { one, two, failing } = replicas
    failing.openPullRequest = [{ kind: 'git_rate_limited', retryAfterSeconds: 600 }]
    const asked = { secrets: {} }
    const id = await replicas.runOf(await two.promote(asked))
    expect(await replicas.runOf(await one.promote(asked))).toBe(id)
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'allowed', details: expect.stringContaining(id) }, { result: 'started' }],
    })
  })

  test('is refused in its run when the person has lost the right meanwhile', async () => {
    await using replicas = await openReplicas()
    const { two, failing } = replicas
    two.start()
    failing.openPullRequest = [UNREACHABLE]
    const id = await replicas.runOf(await two.promote())
    const listed =
      await Bun.$`git -C ${replicas.repository} grep -l group:acme/payments main`.text()
    const [file = ''] = listed
      .trim()
      .split('\n')
      .map((line) => line.replace('main:', ''))
    const entity = await replicas.fileAt('main', file)
    await replicas.commitToMain({
      [file]: entity.replace('group:acme/payments', 'group:acme/shipping'),
    })
    expect(await replicas.ended(id)).toMatchObject({
      status: 'failed',
      state: { failed: { step: 'propose', code: 'forbidden', retryable: false } },
    })
    expect((await replicas.census()).pulls).toStrictEqual([])
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'denied', code: 'forbidden' }],
    })
  })

  test('is refused in its run when the git host refuses', async () => {
    await using replicas = await openReplicas()
    const { two, failing } = replicas
    two.start()
    failing.openPullRequest = [UNREACHABLE, { kind: 'git_denied', what: 'pulls: write' }]
    const id = await replicas.runOf(await two.promote())
    expect(await replicas.ended(id)).toMatchObject({
      status: 'failed',
      state: { failed: { code: 'git_denied' } },
    })
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'failed', code: 'git_denied' }],
    })
  })
})

describe('an effect whose answer was lost is recognised', () => {
  const ANN = { name: 'Ann', email: 'ann@acme.example' }

  test.each(['merged', 'closed'] as const)(
    'a pull request that was %s meanwhile',
    async (state) => {
      await using replicas = await openReplicas(undefined, world.prepareLive)
      const { two, lost } = replicas
      lost.openPullRequest = [UNREACHABLE]
      const id = await replicas.runOf(await two.promote())
      const head = await two.gitHost.head(GITOPS, BRANCH)
      if (!head.ok) throw new Error(head.error.kind)
      const ended =
        state === 'closed'
          ? await two.gitHost.closePullRequest(GITOPS, 1, ANN)
          : await two.gitHost.mergePullRequest(GITOPS, 1, {
              by: ANN,
              expectedHead: head.value.commit,
              rawPaths: undefined,
            })
      expect(ended).toMatchObject({ value: { state } })
      two.start()
      expect(await replicas.ended(id)).toMatchObject({
        status: 'complete',
        state: {
          made: { kind: 'release', status: 'pr_open', prNumber: 1, commit: head.value.commit },
        },
      })
      expect((await replicas.census()).pulls).toStrictEqual(world.ONE_OF_EACH.pulls)
      expect(await two.requesterOf(1)).toMatchObject({ subject: 'ann' })
      expect(await two.auditRows()).toMatchObject({
        value: [{ result: 'done', details: expect.stringContaining('"pullRequest":1') }],
      })
    },
  )

  test('the commit of a confirmation', async () => {
    await using replicas = await openReplicas(undefined, world.prepareMerged)
    const { two, lost } = replicas
    lost.commit = [UNREACHABLE]
    const id = await replicas.runOf(await two.confirm())
    const head = await two.gitHost.head(GITOPS)
    if (!head.ok) throw new Error(head.error.kind)
    const { commit } = head.value
    await replicas.commitToMain({ 'other.yaml': 'x' })
    two.start()
    expect(await replicas.ended(id)).toMatchObject({
      status: 'complete',
      state: { made: { kind: 'confirmation', status: 'confirmed', commit } },
    })
    expect(two.catalog.invalidated).toBe(1)
    expect(await two.auditRows()).toMatchObject({
      value: [{ result: 'done', details: expect.stringContaining(commit) }],
    })
  })
})

test('a move that is refused leaves no run', async () => {
  await using replicas = await openReplicas()
  const { two, failing } = replicas
  failing.merge = [{ kind: 'secret_store_forbidden' }]
  expect(await two.promote()).toMatchObject({ error: { kind: 'secret_store_forbidden' } })
  expect(await two.runs.look('move')).toStrictEqual(ok([]))
  failing.commit = [{ kind: 'git_denied', what: 'contents: write' }]
  expect(await two.promote()).toMatchObject({ error: { kind: 'git_denied' } })
  expect(await two.runs.look('move')).toStrictEqual(ok([]))
})
