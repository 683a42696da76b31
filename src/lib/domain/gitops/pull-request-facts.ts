import { createLru } from '../../concurrency/lru.ts'
import { inTime } from '../../concurrency/in-time.ts'
import type { RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitHost, PullRequest } from '../../ports/git-host.ts'
import {
  DESCRIBED_MAX,
  type PullRequestFacts,
  UNKNOWN_FACTS,
} from '../../ports/git-host/pull-request.ts'

const FRESH_MS = 5_000
/** Until then older facts are better than none. */
const KEPT_MS = 60_000
/** No answer waits longer for facts. */
const PATIENCE_MS = 500
const KNOWN_MAX = 1_000

type Described = Pick<PullRequest, 'number' | 'head'>

interface Known {
  readonly facts: PullRequestFacts
  /** Time of the answer that the facts are from. */
  readonly at: number
  /** Time of the last answer, or of the failure to get one. */
  readonly askedAt: number
}

export type FactsLookup = (pull: Described) => PullRequestFacts

export type PullRequestFactsReader = ReturnType<typeof createPullRequestFacts>

/**
 * Facts of the host about open pull requests: asked once for all that are read together, and again after some seconds. A failed
 * question leaves the facts of an earlier one.
 */
export function createPullRequestFacts(
  gitHost: Pick<GitHost, 'describePullRequests'>,
  repository: RepositoryId,
  clock: Clock,
) {
  const known = createLru<string, Known>(KNOWN_MAX)
  /** For each question that is under way, what ends when nobody waits for it any longer. */
  const asked = new Map<string, Promise<void>>()
  // A new commit has checks and reviews of its own.
  const keyOf = ({ number, head }: Described) => `${number} ${head.commit}`
  const isFresh = (pull: Described) => {
    const found = known.get(keyOf(pull))
    return found !== undefined && clock.now() - found.askedAt < FRESH_MS
  }
  const keptOf = (pull: Described) => {
    const found = known.get(keyOf(pull))
    return found !== undefined && clock.now() - found.at < KEPT_MS ? found : undefined
  }

  async function ask(pulls: readonly PullRequest[]): Promise<void> {
    // No answer fails for want of facts.
    const described = await gitHost
      .describePullRequests(repository, pulls)
      .catch(() => new Map<number, PullRequestFacts>())
    const now = clock.now()
    for (const pull of pulls) {
      const facts = described.get(pull.number)
      const kept = facts ? { facts, at: now } : keptOf(pull)
      known.set(keyOf(pull), { facts: UNKNOWN_FACTS, at: now, ...kept, askedAt: now })
    }
  }

  function begin(pulls: readonly PullRequest[]): void {
    const question = ask(pulls).finally(() => {
      for (const pull of pulls) asked.delete(keyOf(pull))
    })
    const patience = inTime(question, PATIENCE_MS, undefined)
    for (const pull of pulls) asked.set(keyOf(pull), patience)
  }

  return {
    /** Older facts while newer ones are asked for; `UNKNOWN_FACTS` without any, while the host is slow or away. */
    async of(pulls: readonly PullRequest[]): Promise<FactsLookup> {
      const stale = pulls.filter((pull) => !isFresh(pull))
      const unasked = stale.filter((pull) => !asked.has(keyOf(pull)))
      for (let from = 0; from < unasked.length; from += DESCRIBED_MAX)
        begin(unasked.slice(from, from + DESCRIBED_MAX))
      const awaited = stale.filter((pull) => keptOf(pull) === undefined)
      await Promise.all(awaited.flatMap((pull) => asked.get(keyOf(pull)) ?? []))
      return (pull) => keptOf(pull)?.facts ?? UNKNOWN_FACTS
    },
  }
}
