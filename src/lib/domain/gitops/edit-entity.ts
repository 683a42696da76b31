import { ok, type Result } from '../../result.ts'
import { entityRef } from '../catalog/entity.ts'
import { documentStarts } from '../../yaml/events.ts'
import { changeFor, type EditFailure, refuse } from '../../yaml/edit.ts'
import { readYaml, type YamlFile } from '../../yaml/read.ts'
import { isOnlyChange } from '../../yaml/outline.ts'

export interface EntityEdit {
  readonly path: readonly string[]
  readonly value: string
}

/**
 * Sets texts in the one document of a file that is this entity, by replacing characters: comments, quotes, line ends and other
 * documents stay byte for byte. What is missing is added behind the last entry of its mapping, so that no comment above or
 * beside an entry comes to stand at another. Each result is read again: it says what was meant and nothing else, or is refused.
 */
export function editEntity(
  source: string,
  entity: { readonly kind: string; readonly name: string },
  edits: readonly EntityEdit[],
): Result<string, EditFailure> {
  const reading = readYaml(source)
  if (!reading.ok) return refuse('the file is not readable as YAML')
  let file = reading.value
  const [document, ...others] = documentsOf(file, entity)
  if (document === undefined) return refuse('the file does not have the entity')
  if (others.length > 0) return refuse('the file has the entity more than once')
  for (const edit of edits) {
    const edited = setText(file, document, edit)
    if (!edited.ok) return edited
    file = edited.value
  }
  return ok(file.source)
}

function documentsOf(
  { documents }: YamlFile,
  { kind, name }: { readonly kind: string; readonly name: string },
): number[] {
  const wanted = entityRef(kind, name)
  return documents.flatMap(({ value }, index) => {
    const [itsKind, itsName] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])]
    const isText = typeof itsKind === 'string' && typeof itsName === 'string'
    return isText && entityRef(itsKind, itsName) === wanted ? [index] : []
  })
}

/** Own properties only: a path may be `__proto__`. */
const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.getOwnPropertyDescriptor(at, key)?.value
        : undefined,
    value,
  )

/** Line ends, other control characters and what YAML does not have: a text that is set is one line. */
const NOT_ONE_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u

function setText(
  file: YamlFile,
  document: number,
  { path, value }: EntityEdit,
): Result<YamlFile, EditFailure> {
  if (path.length === 0) return refuse('an edit needs a path')
  if ([...path, value].some((text) => NOT_ONE_LINE.test(text)))
    return refuse('what is written must be one line without control characters')
  const found = changeFor(file, documentStarts(file.events)[document] ?? 0, path, value)
  if (!found.ok) return found
  if (valueAt(file.documents[document]?.value, path) === value) return ok(file)

  const { start, end, text } = found.value
  const edited = readYaml(file.source.slice(0, start) + text + file.source.slice(end))
  const isMeant =
    edited.ok &&
    valueAt(edited.value.documents[document]?.value, path) === value &&
    isOnlyChange(found.value, file, edited.value)
  return isMeant ? edited : refuse('the edit would change more than this text')
}
