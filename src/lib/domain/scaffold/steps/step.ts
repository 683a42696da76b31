import type { RepositoryId, RunId } from '../../../names.ts'
import type { Author, GitHost, Head, WrittenFile } from '../../../ports/git-host.ts'
import type { SecretActor, SecretStore } from '../../../ports/secret-store.ts'
import type { Result } from '../../../result.ts'
import type { Requesters } from '../../gitops/requesters.ts'
import type { ReplicatedInvalidation } from '../../replicated-invalidation.ts'
import type { StepFailure } from '../failure.ts'
import type { RunResults } from '../run.ts'
import type { ScaffoldSpec } from '../spec.ts'

export interface StepPorts {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly requesters: Pick<Requesters, 'note'>
  /** The cache of open pull requests, invalidated when the run has opened one. */
  readonly pulls: Pick<ReplicatedInvalidation, 'invalidate'>
}

export interface StepContext {
  /** Marks everything that this run makes: a later attempt finds it by this id. */
  readonly runId: RunId
  readonly spec: ScaffoldSpec
  /** Results of the earlier steps. */
  readonly made: RunResults
  readonly author: Author
  /** In whose name the secret store is called. */
  readonly secretActor: SecretActor
  /** The new repository. */
  readonly repository: RepositoryId
  /** Read once per attempt, after the step that makes the repository. */
  readonly repositoryHead: () => Promise<Result<Head, StepFailure>>
  readonly gitopsRepository: RepositoryId
  /** The files of the new repository, rendered once per attempt. */
  readonly repositoryFiles: () => Promise<Result<readonly WrittenFile[], StepFailure>>
  /** The files of the pull request. */
  readonly gitopsFiles: () => Promise<Result<readonly WrittenFile[], StepFailure>>
  /** Journals an effect right before it. Fails when the lease is lost: a process that slept past its lease must not act. */
  readonly note: (made: Partial<RunResults>) => Promise<Result<void, StepFailure>>
}

export interface StepOutcome {
  readonly kind: 'complete' | 'skipped'
  readonly message: string
  readonly made?: Partial<RunResults>
}

/** A crash or a retry runs a step again. It finds what an earlier attempt of its run made, and refuses what others made. */
export interface Step {
  /** Message of the event before the effect. */
  readonly announce: (context: StepContext) => string
  readonly run: (
    context: StepContext,
    ports: StepPorts,
  ) => Promise<Result<StepOutcome, StepFailure>>
}
