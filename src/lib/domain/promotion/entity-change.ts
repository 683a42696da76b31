import { err, ok, type Result } from '../../result.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import type { PromotionDeps } from './dependencies.ts'
import { FILE_BYTES_MAX } from '../catalog/problem.ts'
import { requesterOf, authorOf } from '../gitops/author.ts'
import { type EditFailure, editEntity, type EntityEdit } from '../gitops/edit-entity.ts'
import type { Admission } from './exclusive-request.ts'
import { commitMessage, type Move, trailerOf } from './move.ts'
import type { PlannedChange } from './plan.ts'
import { readMoveBranch } from './proposal.ts'
import type { EntityRequest } from './subject.ts'
import { changedIn, readTexts } from './texts.ts'
import type { Warning } from './warnings.ts'

export interface EntityEdits {
  readonly move: Move
  readonly edits: readonly EntityEdit[]
  readonly title: string
  /** First line of the commit message. */
  readonly summary: string
  /** Lines for the reviewer. */
  readonly body: readonly string[]
}

export interface EntityChange extends PlannedChange {
  readonly warnings: readonly Warning[]
}

/** Edits the entity's file as it is at the commit of the decision, and no other file. */
export async function entityChange(
  { gitHost, repository }: PromotionDeps,
  entityRequest: EntityRequest,
  { subject, promotable }: Admission,
  { move, edits, title, summary, body }: EntityEdits,
): Promise<Result<EntityChange, GitFailure | EditFailure>> {
  const { principal } = entityRequest
  const { path, commit, branch } = subject
  const base = { branch, commit }
  const texts = await readTexts(gitHost, repository, commit, [{ path }], FILE_BYTES_MAX)
  if (!texts.ok) return texts
  const source = texts.value.get(path)
  if (source === undefined) {
    return err({ kind: 'entity_not_editable', reason: 'its file is no text' })
  }
  const edited = editEntity(source, subject, edits)
  if (!edited.ok) return edited
  const written = { repository, move, base, paths: [path], maxBytes: FILE_BYTES_MAX }
  const read = await readMoveBranch(gitHost, written, promotable.pulls)
  if (!read.ok) return read
  const { target: to, current, warnings } = read.value
  const bytes = new TextEncoder().encode(edited.value)
  const files = [{ kind: 'write', path, bytes } as const]
  const proposal = {
    repository,
    move,
    base,
    changes: changedIn(current, files),
    title,
    message: commitMessage(move, summary),
    body: `${[...body, '', trailerOf(move)].join('\n')}\n`,
    author: authorOf(principal),
    askedBy: requesterOf(principal),
  }
  return ok({ proposal, to, files, warnings })
}
