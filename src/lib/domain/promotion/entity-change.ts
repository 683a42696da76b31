import { err, ok, type Result } from '../../result.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import type { RepositoryId } from '../../names.ts'
import { FILE_BYTES_MAX } from '../catalog/problem.ts'
import { askerOf, authorOf } from '../gitops/author.ts'
import { type EditFailure, editEntity, type EntityEdit } from '../gitops/edit-entity.ts'
import { commitMessage, type Move, trailerOf } from './move.ts'
import type { ProposalRequest } from './propose.ts'
import type { EntityRequest, Subject } from './subject.ts'
import { readTexts } from './texts.ts'

export interface EntityChange {
  readonly move: Move
  readonly edits: readonly EntityEdit[]
  readonly title: string
  /** First line of the commit message. */
  readonly summary: string
  /** Lines for the reviewer. */
  readonly body: readonly string[]
}

/** Edits the entity's file as it is at the commit of the decision, and no other file. */
export async function entityChange(
  { gitHost, repository }: { readonly gitHost: GitHost; readonly repository: RepositoryId },
  { principal }: EntityRequest,
  subject: Subject,
  { move, edits, title, summary, body }: EntityChange,
): Promise<Result<ProposalRequest, GitFailure | EditFailure>> {
  const { path, commit, branch } = subject
  const texts = await readTexts(gitHost, repository, commit, [{ path }], FILE_BYTES_MAX)
  if (!texts.ok) return texts
  const source = texts.value.get(path)
  if (source === undefined) {
    return err({ kind: 'entity_not_editable', reason: 'its file is no text' })
  }
  const edited = editEntity(source, subject, edits)
  if (!edited.ok) return edited
  const bytes = new TextEncoder().encode(edited.value)
  return ok({
    repository,
    move,
    base: { branch, commit },
    files: () => [{ kind: 'write', path, bytes }],
    paths: [path],
    maxBytes: FILE_BYTES_MAX,
    title,
    message: commitMessage(move, summary),
    body: `${[...body, '', trailerOf(move)].join('\n')}\n`,
    author: authorOf(principal),
    askedBy: askerOf(principal),
  })
}
