import { err, ok, type Result } from '../../result.ts'
import { setScalar } from '../../yaml/edit.ts'
import { readYaml, type YamlFile } from '../../yaml/read.ts'
import { valueAt } from '../../yaml/value-at.ts'
import { FILE_BYTES_MAX } from '../catalog/problem.ts'
import { entityRef } from '../catalog/entity.ts'
import type { Image } from '../gitops/overlay.ts'
import type { MoveKind } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Admission } from './exclusive-request.ts'
import type { MoveFailure } from './failure.ts'
import { type Move, textsOf } from './move.ts'
import type { Stage } from './pipeline.ts'
import { type MoveBranch, type Proposal, readMoveBranch } from './proposal.ts'
import type { CheckedSecrets } from './secrets.ts'
import { changedIn, readTexts } from './texts.ts'
import type { Warning } from './warnings.ts'

/** The effects of a request, decided and not yet performed. */
export interface Plan {
  readonly kind: MoveKind
  /** `null`: only the confirmation is due, or a release has nothing but secrets. */
  readonly change: Proposal | null
  readonly secrets: CheckedSecrets | null
  /** Title of the pull request. */
  readonly title: string
  readonly image: {
    readonly name: string
    readonly image: Image | null
    readonly carriedFrom: string | null
  } | null
  readonly stage: Stage | null
  readonly warnings: readonly Warning[]
}

export const PLAN_STATUSES = ['pr_open', 'ready_to_confirm', 'secrets_written'] as const

/** The status that a plan has once it is performed. */
export function statusOf({
  kind,
  change,
}: Pick<Plan, 'kind' | 'change'>): (typeof PLAN_STATUSES)[number] {
  if (change !== null) return 'pr_open'
  return kind === 'release' ? 'secrets_written' : 'ready_to_confirm'
}

/** Edits the entity's file as it is at the commit of the decision, and no other file. */
export async function entityChange(
  deps: PromotionDeps,
  { principal: askedBy, subject: base, promotable }: Admission,
  move: Move,
  edits: readonly EntityEdit[],
  texts: Parameters<typeof textsOf>[1],
): Promise<Result<Pick<MoveBranch, 'warnings'> & { readonly change: Proposal }, MoveFailure>> {
  const { entity, commit } = base
  const { path } = entity
  const before = await readTexts(deps, commit, [{ path }], FILE_BYTES_MAX)
  if (!before.ok) return before
  const source = before.value.get(path)
  if (source === undefined) {
    return err({ kind: 'entity_not_editable', reason: 'its file is no text' })
  }
  const edited = editEntity(source, entity.card, edits)
  if (!edited.ok) return edited
  const written = { move, base, paths: [path], maxBytes: FILE_BYTES_MAX }
  const read = await readMoveBranch(deps, written, promotable.pulls)
  if (!read.ok) return read
  const { branch, from, pull, current, warnings } = read.value
  const bytes = new TextEncoder().encode(edited.value)
  const files = [{ kind: 'write', path, bytes } as const]
  const change = {
    move,
    base,
    branch,
    from,
    pull,
    files,
    changes: changedIn(current, files),
    ...textsOf(move, texts),
    askedBy,
  }
  return ok({ change, warnings })
}

interface EntityEdit {
  readonly path: readonly string[]
  readonly value: string
}

/** Sets texts of an entity in its file. Everything else in the file keeps every byte. */
export function editEntity(
  source: string,
  entity: { readonly kind: string; readonly name: string },
  edits: readonly EntityEdit[],
): Result<string, Extract<MoveFailure, { kind: 'entity_not_editable' }>> {
  const reading = readYaml(source)
  if (!reading.ok) return refuse('the file is not readable as YAML')
  let file = reading.value
  const [document, ...others] = documentsOf(file, entityRef(entity.kind, entity.name))
  if (document === undefined) return refuse('the file does not have the entity')
  if (others.length > 0) return refuse('the file has the entity more than once')
  for (const { path, value } of edits) {
    const edited = setScalar(file, document, path, value)
    if (!edited.ok) return refuse(edited.error)
    file = edited.value
  }
  return ok(file.source)
}

const refuse = (reason: string) => err({ kind: 'entity_not_editable', reason } as const)

/** Indexes of the documents that hold the entity. */
const documentsOf = ({ documents }: YamlFile, ref: string): number[] =>
  documents.flatMap(({ value }, index) => {
    const kind = valueAt(value, ['kind'])
    const name = valueAt(value, ['metadata', 'name'])
    const isText = typeof kind === 'string' && typeof name === 'string'
    return isText && entityRef(kind, name) === ref ? [index] : []
  })
