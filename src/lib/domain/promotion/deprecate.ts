import type { RepositoryPath } from '../../names.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorOf } from '../gitops/author.ts'
import { editEntity } from '../gitops/edit-yaml.ts'
import { plain, quoted } from '../gitops/free-text.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { textsOf } from './application.ts'
import type { Admitted, Asking } from './gate.ts'
import { type Move, trailerOf } from './move.ts'
import { DEPRECATED } from './pipeline.ts'
import type { ProposalRequest } from './propose.ts'
import type { PromoteOptions } from './promote.ts'
import type { PromotionRequest } from './request.ts'

/** The change that marks an entity as deprecated: its lifecycle, and why, by whom and what instead, as annotations. */
export async function deprecation(
  options: Pick<PromoteOptions, 'gitHost' | 'repository' | 'today'>,
  asking: Asking,
  { deprecation = {} }: PromotionRequest,
  { subject, promotable }: Admitted,
): Promise<
  Result<
    ProposalRequest,
    GitFailure | { readonly kind: 'entity_not_editable'; readonly reason: string }
  >
> {
  const { repository, today } = options
  const { path, commit, branch } = subject
  const source = await sourceOf(options, subject)
  if (!source.ok) return source
  const { reason, replacedBy, sunsetAt } = deprecation
  const { principal } = asking
  const annotations = {
    reason,
    'replaced-by': replacedBy,
    'sunset-at': sunsetAt,
    by: principal.subject,
    at: today(),
  }
  const edits = [
    { path: ['spec', 'lifecycle'], value: DEPRECATED },
    ...Object.entries(annotations).flatMap(([name, value]) =>
      value === undefined || value === ''
        ? []
        : [{ path: ['metadata', 'annotations', `portico/deprecated-${name}`], value }],
    ),
  ]
  const edited = editEntity(source.value, subject, edits)
  if (!edited.ok) return edited
  const { team, app } = promotable
  const move: Move = { team, app, act: 'deprecate', environment: '' }
  const bytes = new TextEncoder().encode(edited.value)
  return ok({
    repository,
    move,
    base: { branch, commit },
    files: () => [{ kind: 'write', path, bytes }],
    paths: [path],
    title: `[Deprecate] ${team}/${app}`,
    message: `deprecate: ${team}/${app}\n`,
    body: `${[
      `Marks **${team}/${app}** as deprecated, asked for by ${plain(principal.name)}.`,
      '',
      ...(reason ? [...quoted(reason), ''] : []),
      trailerOf(move),
    ].join('\n')}\n`,
    author: authorOf(principal),
  })
}

/** The file of an entity as the commit has it that everything is decided on. */
export async function sourceOf(
  { gitHost, repository }: Pick<PromoteOptions, 'gitHost' | 'repository'>,
  {
    path,
    commit,
  }: { readonly path: RepositoryPath; readonly commit: Admitted['subject']['commit'] },
): Promise<
  Result<string, GitFailure | { readonly kind: 'entity_not_editable'; readonly reason: string }>
> {
  const texts = await textsOf(gitHost, repository, commit, [{ path }], SOURCE_BYTES_MAX)
  if (!texts.ok) return texts
  const source = texts.value.get(path)
  return source === undefined
    ? err({ kind: 'entity_not_editable', reason: 'its file is no text' })
    : ok(source)
}

const SOURCE_BYTES_MAX = 1024 * 1024
