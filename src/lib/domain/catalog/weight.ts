import type { ParsedFile } from './parse-file.ts'

/** Memory that objects take besides their texts, measured generously. */
const FILE_BYTES = 500
const ENTITY_BYTES = 2_000
const FINDING_BYTES = 500
/** With its place in the index of relations. */
const REFERENCE_BYTES = 150

const weights = new WeakMap<ParsedFile, number>()

/** Bytes of memory that a parsed file takes at each of its paths, about. */
export function weightOf(file: ParsedFile): number {
  const known = weights.get(file)
  if (known !== undefined) return known
  const ofEntities = file.entities.reduce(
    (sum, { json, text, references }) =>
      sum +
      ENTITY_BYTES +
      json.length +
      text.folded.length +
      references.reduce((all, reference) => all + REFERENCE_BYTES + reference.text.length, 0),
    0,
  )
  const weight = FILE_BYTES + ofEntities + FINDING_BYTES * file.findings.length
  weights.set(file, weight)
  return weight
}

/** For a file that is not parsed yet: one entity whose text is in its JSON and in its search text. */
export const expectedWeight = (fileBytes: number): number =>
  FILE_BYTES + ENTITY_BYTES + 2 * fileBytes
