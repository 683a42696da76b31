import type { LRUCache } from 'lru-cache'
import type { InTurn } from '../../../concurrency/queue.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Branches } from '../hosted/branches.ts'
import type { HostClient } from '../hosted/api/client.ts'
import type { KeptObjects } from '../hosted/objects/kept-objects.ts'
import type { KnownRepositories } from '../hosted/known-repositories.ts'
import type { GitHostMeans } from '../means.ts'
import type { Trees } from './git/trees.ts'

/** The means that operations share. */
export interface GitHub {
  readonly client: HostClient
  readonly known: KnownRepositories
  readonly branches: Branches
  readonly kept: KeptObjects
  readonly trees: Trees
  readonly clock: Clock
  readonly log: GitHostMeans['log']
  /** Writes to one branch or repository, one after another. */
  readonly inTurn: InTurn
  /** Branches that this process made and asked no pull request for since, as `owner/name#branch`. */
  readonly freshBranches: LRUCache<string, true>
}
