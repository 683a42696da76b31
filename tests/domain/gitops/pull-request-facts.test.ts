import { describe, expect, test } from 'bun:test'
import { createPullRequestFacts } from '#src/lib/domain/gitops/pull-request-facts.ts'
import type { PullRequest } from '#src/lib/ports/git-host.ts'
import {
  DESCRIBED_MAX,
  type PullRequestFacts,
  UNKNOWN_FACTS,
} from '#src/lib/ports/git-host/pull-request.ts'
import { branch, MAIN, oid, repositoryId } from '#tests/contracts/git-host.ts'

const GITOPS = repositoryId('acme', 'gitops')
const PASSING: PullRequestFacts = {
  checks: 'passing',
  review: 'approved',
  draft: false,
  queued: false,
  mergeable: 'clean',
}

const pullAt = (number: number, commit = 'a'): PullRequest => ({
  number,
  title: 't',
  body: '',
  url: '',
  state: 'open',
  head: { branch: branch('topic'), commit: oid(commit.repeat(40)) },
  base: MAIN,
  mergeable: 'clean',
  createdBy: 'ada',
  createdAt: 0,
  closedAt: null,
  mergeCommit: null,
  mergedBy: null,
})

/** A host whose answers the test gives; each question is the numbers that it is about. */
function open() {
  const clock = { time: 0, now: () => clock.time }
  const questions: number[][] = []
  const host = {
    facts: PASSING,
    until: Promise.resolve(),
    failure: null as 'says nothing' | 'throws' | null,
    async describePullRequests(_: unknown, pulls: readonly PullRequest[]) {
      questions.push(pulls.map(({ number }) => number))
      const { facts } = host
      await host.until
      if (host.failure === 'throws') throw new Error('no answer')
      if (host.failure !== null) return new Map()
      return new Map(pulls.map(({ number }) => [number, facts]))
    },
  }
  const reader = createPullRequestFacts(host, GITOPS, clock)
  const read = async (...pulls: readonly PullRequest[]) => {
    const factsOf = await reader.of(pulls)
    return pulls.map(factsOf)
  }
  return { clock, questions, host, read }
}

describe('facts of pull requests', () => {
  test('are one question for all, remembered for some seconds', async () => {
    const { clock, questions, host, read } = open()
    expect(await read(pullAt(1), pullAt(2))).toStrictEqual([PASSING, PASSING])
    host.facts = { ...PASSING, checks: 'failing' }
    clock.time += 4_000
    expect(await read(pullAt(2), pullAt(3))).toStrictEqual([PASSING, host.facts])
    clock.time += 1_000
    expect(await read(pullAt(1), pullAt(2))).toStrictEqual([PASSING, PASSING])
    expect(await read(pullAt(1), pullAt(2))).toStrictEqual([host.facts, host.facts])
    expect(questions).toStrictEqual([[1, 2], [3], [1, 2]])
  })

  test('are asked for once, however many read', async () => {
    const { questions, read } = open()
    await Promise.all([read(pullAt(1)), read(pullAt(1), pullAt(2)), read(pullAt(2))])
    expect(questions).toStrictEqual([[1], [2]])
  })

  test('are those of the commit', async () => {
    const { questions, read } = open()
    await read(pullAt(1, 'a'))
    await read(pullAt(1, 'b'))
    expect(questions).toStrictEqual([[1], [1]])
  })

  test('of a host that does not answer are unknown, and nobody waits a second time', async () => {
    const { clock, questions, host, read } = open()
    const answer = Promise.withResolvers<void>()
    host.until = answer.promise
    expect(await read(pullAt(1))).toStrictEqual([UNKNOWN_FACTS])
    expect(await read(pullAt(1))).toStrictEqual([UNKNOWN_FACTS])
    expect(questions).toHaveLength(1)
    answer.resolve()
    await answer.promise
    expect(await read(pullAt(1))).toStrictEqual([PASSING])
    host.until = Promise.withResolvers<void>().promise
    clock.time += 10_000
    expect(await read(pullAt(1))).toStrictEqual([PASSING])
    clock.time += 60_000
    expect(await read(pullAt(1))).toStrictEqual([UNKNOWN_FACTS])
  })

  test('that are known wait for no newer ones', async () => {
    const { clock, questions, host, read } = open()
    await read(pullAt(1))
    host.until = Promise.withResolvers<void>().promise
    clock.time += 6_000
    const answer = read(pullAt(1)).then(() => 'answered')
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    expect(await Promise.race([answer, Promise.resolve('waits')])).toBe('answered')
    expect(questions).toStrictEqual([[1], [1]])
  })

  test.each(['says nothing', 'throws'] as const)('outlive a host that %s', async (failure) => {
    const { clock, questions, host, read } = open()
    await read(pullAt(1))
    host.failure = failure
    clock.time += 6_000
    expect(await read(pullAt(1), pullAt(2))).toStrictEqual([PASSING, UNKNOWN_FACTS])
    expect(await read(pullAt(1), pullAt(2))).toStrictEqual([PASSING, UNKNOWN_FACTS])
    // A failure is remembered as long as an answer.
    expect(questions).toStrictEqual([[1], [1, 2]])
    clock.time += 54_000
    expect(await read(pullAt(1))).toStrictEqual([UNKNOWN_FACTS])
  })

  test('of more than a page are several questions at once', async () => {
    const { questions, read } = open()
    const pulls = Array.from({ length: DESCRIBED_MAX + 1 }, (_, index) => pullAt(index + 1))
    expect((await read(...pulls)).at(-1)).toStrictEqual(PASSING)
    expect(questions.map(({ length }) => length)).toStrictEqual([DESCRIBED_MAX, 1])
    expect(await read()).toStrictEqual([])
    expect(questions).toHaveLength(2)
  })
})
