import { LRUCache } from 'lru-cache'
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

export interface PullRequestFactsOptions {
  readonly gitHost: Pick<GitHost, 'describePullRequests'>
  readonly repository: RepositoryId
  readonly clock: Clock
}

export type FactsLookup = (pull: Described) => PullRequestFacts

export type PullRequestFactsReader = ReturnType<typeof createPullRequestFacts>

/** What the host says about open pull requests: asked once for all that are read together, and again after some seconds. */
export function createPullRequestFacts({ gitHost, repository, clock }: PullRequestFactsOptions) {
  const known = new LRUCache<string, { readonly facts: PullRequestFacts; readonly at: number }>({
    max: KNOWN_MAX,
  })
  /** For each question that is under way, what ends when nobody waits for it any longer. */
  const asked = new Map<string, Promise<void>>()
  // A new commit has checks and reviews of its own.
  const keyOf = ({ number, head }: Described) => `${number} ${head.commit}`
  const knownOf = (pull: Described, maxAgeMs: number) => {
    const found = known.get(keyOf(pull))
    return found !== undefined && clock.now() - found.at < maxAgeMs ? found.facts : undefined
  }

  async function ask(pulls: readonly PullRequest[]): Promise<void> {
    const described = await gitHost.describePullRequests(repository, pulls)
    for (const pull of pulls) {
      const facts = described.get(pull.number) ?? UNKNOWN_FACTS
      known.set(keyOf(pull), { facts, at: clock.now() })
    }
  }

  return {
    /** `UNKNOWN_FACTS` while the host is slow or away, and beyond the first `DESCRIBED_MAX` pull requests. */
    async of(pulls: readonly PullRequest[]): Promise<FactsLookup> {
      const wanted = pulls.slice(0, DESCRIBED_MAX)
      const stale = wanted.filter((pull) => knownOf(pull, FRESH_MS) === undefined)
      const unasked = stale.filter((pull) => !asked.has(keyOf(pull)))
      if (unasked.length > 0) {
        const question = ask(unasked).finally(() => {
          for (const pull of unasked) asked.delete(keyOf(pull))
        })
        const patience = inTime(question, PATIENCE_MS, undefined)
        for (const pull of unasked) asked.set(keyOf(pull), patience)
      }
      await Promise.all(stale.flatMap((pull) => asked.get(keyOf(pull)) ?? []))
      return (pull) => knownOf(pull, KEPT_MS) ?? UNKNOWN_FACTS
    },
  }
}
