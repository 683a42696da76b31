import { entityRef } from './entity.ts'
import type { ParsedEntity } from './parse-file.ts'
import type { CatalogParser } from './parser.ts'
import type { Finding } from './problem.ts'

export interface Validation {
  /** References of the entities that would be served. */
  readonly entities: readonly string[]
  readonly findings: readonly Finding[]
}

/** Parses a file as the catalog would, without comparing it with other files. */
export async function validateFile(parser: CatalogParser, bytes: Uint8Array): Promise<Validation> {
  const [file] = await parser.parse([bytes])
  const entities = file?.entities ?? []
  const refs = new Set<string>()
  const duplicates: Finding[] = []
  for (const entity of entities) {
    const ref = entityRef(entity.card.kind, entity.card.name)
    if (refs.has(ref)) duplicates.push(duplicate(ref, entity))
    refs.add(ref)
  }
  return { entities: [...refs], findings: [...(file?.findings ?? []), ...duplicates] }
}

const duplicate = (ref: string, { line }: ParsedEntity): Finding => ({
  severity: 'error',
  code: 'entity_duplicate',
  line,
  column: 1,
  ref,
  message: 'the same entity is further up in this file',
})
