import { setScalar } from '../../yaml/edit.ts'
import { valueAt } from '../../yaml/value-at.ts'
import { readYaml, type YamlFile } from '../../yaml/read.ts'
import { err, ok, type Result } from '../../result.ts'
import { entityRef } from '../catalog/entity.ts'

export interface EntityEdit {
  readonly path: readonly string[]
  readonly value: string
}

export interface EditFailure {
  readonly kind: 'entity_not_editable'
  /** For people; quotes nothing of the file. */
  readonly reason: string
}

/** Sets texts of an entity in its file. Everything else in the file keeps every byte. */
export function editEntity(
  source: string,
  entity: { readonly kind: string; readonly name: string },
  edits: readonly EntityEdit[],
): Result<string, EditFailure> {
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
