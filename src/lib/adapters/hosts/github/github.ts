import type { InTurn } from '../../../concurrency/queue.ts'
import type { Mirror } from '../../../git/mirror.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { HostClient } from '../hosted/api/client.ts'
import type { Branches } from '../hosted/branches.ts'
import type { KnownRepositories } from '../hosted/known-repositories.ts'
import type { GitHostMeans } from '../means.ts'

/** The means that operations share. */
export interface GitHub {
  readonly client: HostClient
  readonly known: KnownRepositories
  readonly branches: Branches
  readonly mirror: Mirror
  readonly clock: Clock
  readonly log: GitHostMeans['log']
  /** Writes to one branch or repository, one after another. */
  readonly inTurn: InTurn
}
