import type { RepositoryId, RunId } from '../../../names.ts'
import type { Author, GitHost } from '../../../ports/git-host.ts'
import type { SecretStore } from '../../../ports/secret-store.ts'
import type { Result } from '../../../result.ts'
import type { WrittenFile } from '../../gitops/propose.ts'
import type { StepFailure } from '../failure.ts'
import type { Made } from '../run.ts'
import type { ScaffoldSpec } from '../spec.ts'

/** Everything that steps can ask for. */
export interface StepPorts {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
}

export interface StepContext {
  /** Marks what this run makes, so that a later try knows it again. */
  readonly runId: RunId
  readonly spec: ScaffoldSpec
  /** What earlier steps made. */
  readonly made: Made
  readonly author: Author
  /** The new repository. */
  readonly repository: RepositoryId
  readonly gitopsRepository: RepositoryId
  /** The files of the new repository, rendered once per try. */
  readonly repositoryFiles: () => Promise<Result<readonly WrittenFile[], StepFailure>>
  /** The files of the pull request. */
  readonly gitopsFiles: () => Promise<Result<readonly WrittenFile[], StepFailure>>
  /**
   * Writes into the journal what is about to be made, right before an effect. Fails when the run is not ours any more: a
   * process that slept past its lease must not act.
   */
  readonly note: (made: Partial<Made>) => Promise<Result<void, StepFailure>>
}

export interface StepOutcome {
  readonly kind: 'complete' | 'skipped'
  readonly message: string
  readonly made?: Partial<Made>
}

/**
 * A step is tried again after a crash and by a retry. It finds what an earlier try of the same run made, and refuses what it
 * did not make.
 */
export interface Step {
  /** What it is about to do, for the reader of the stream. */
  readonly announce: (context: StepContext) => string
  readonly run: (
    context: StepContext,
    ports: StepPorts,
  ) => Promise<Result<StepOutcome, StepFailure>>
}

/** A step declares which ports it needs, and gets no other. */
export const step = <const Need extends keyof StepPorts>(definition: {
  readonly needs: readonly Need[]
  readonly announce: Step['announce']
  readonly run: (
    context: StepContext,
    ports: Pick<StepPorts, Need>,
  ) => Promise<Result<StepOutcome, StepFailure>>
}): Step => definition
