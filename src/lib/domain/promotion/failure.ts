import type { RepositoryPath } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Forbidden } from '../access/authorise.ts'
import type { MoveRefusal } from './decide.ts'
import type { SecretsFailure } from './secrets.ts'
import type { NotPromotable, SubjectFailure } from './subject.ts'

/** Why a promotion, a release, a deprecation or a confirmation is refused, or why it came to nothing. */
export type MoveFailure =
  | SubjectFailure
  | Forbidden
  | NotPromotable
  | {
      readonly kind: 'not_promotable'
      readonly reason: 'base_unusable'
      /** The first thing that the base lacks, for people. */
      readonly missing: string
    }
  | MoveRefusal
  /** The default branch has changed what the open pull request changes: only people can say what is meant. */
  | { readonly kind: 'pr_outdated'; readonly pullRequest: number; readonly path: RepositoryPath }
  | { readonly kind: 'nothing_to_change'; readonly environment: string }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'host_taken'; readonly claimedBy: string }
  | { readonly kind: 'database_taken'; readonly name: string; readonly claimedBy: string }
  /** `name`: of the objects in the cluster. `claimedBy`: the other application, as `team/app`. */
  | { readonly kind: 'name_taken'; readonly name: string; readonly claimedBy: string }
  /** `reason`, of this kind and of the next: for people; quotes nothing of the file. */
  | {
      readonly kind: 'overlay_not_editable'
      readonly path: RepositoryPath
      readonly reason: string
    }
  | { readonly kind: 'entity_not_editable'; readonly reason: string }
  | SecretsFailure
  /** Another move of the application in the environment has not ended. */
  | { readonly kind: 'change_in_progress' }
  | GitFailure
  | DatabaseFailure
