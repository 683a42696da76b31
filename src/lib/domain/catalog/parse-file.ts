import { type EntityCard, type EntityFault, type FieldReferences, readEntity } from './entity.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import {
  checkJsonValue,
  ENTITY_BYTES_MAX,
  type JsonUsage,
  noJsonUsage,
  tooLarge,
} from './json-value.ts'
import type { Reference } from './reference.ts'
import { FILE_BYTES_MAX, fileFinding, fileTooLarge, type Finding } from './problem.ts'
import { readYaml, type YamlDocument, type YamlFault } from '../../yaml/read.ts'
import type { SearchText } from './search-text.ts'

const FINDINGS_PER_FILE_MAX = 20

export interface ParsedFile {
  readonly entities: readonly ParsedEntity[]
  readonly findings: readonly Finding[]
}

export interface ParsedEntity {
  readonly card: EntityCard
  /** The whole entity as JSON. */
  readonly json: string
  readonly text: SearchText
  /** By field, and in a field as in the file. */
  readonly references: readonly Reference[]
  readonly line: number
}

/**
 * Reads a catalog file. Pure, and bounded for any input: a bad document hides itself, bad syntax hides the file. A lifecycle
 * that is not in `lifecycles` is a warning.
 */
export function parseFile(bytes: Uint8Array, lifecycles: readonly string[]): ParsedFile {
  if (bytes.length > FILE_BYTES_MAX) return broken(fileTooLarge)
  const source = decodeUtf8(bytes)
  if (source === undefined) {
    return broken(fileFinding('file_not_utf8', 'a catalog file must be UTF-8'))
  }

  const reading = readYaml(source)
  if (!reading.ok) return broken(findingOfFault(reading.error))

  const entities: ParsedEntity[] = []
  const findings: Finding[] = []
  const usage = noJsonUsage()
  for (const document of reading.value.documents) {
    if (document.value === null) continue
    const parsed = parseDocument(
      document,
      lifecycles,
      usage,
      FINDINGS_PER_FILE_MAX - findings.length,
    )
    if (parsed.entity !== null) entities.push(parsed.entity)
    findings.push(...parsed.findings)
  }
  return { entities, findings }
}

function findingOfFault({ code, position, message }: YamlFault): Finding {
  if (code === 'yaml_too_large') return fileFinding('file_too_large', message)
  return { ...fileFinding(code, message), ...position }
}

function parseDocument(
  document: YamlDocument,
  lifecycles: readonly string[],
  usage: JsonUsage,
  findingsLeft: number,
): { readonly entity: ParsedEntity | null; readonly findings: readonly Finding[] } {
  const jsonFaults = checkJsonValue(document.value, usage)
  const isJson = jsonFaults.every(({ severity }) => severity === 'warning')
  const { entity, ref, faults } = isJson
    ? readEntity(document.value, lifecycles)
    : { entity: null, ref: null, faults: [] }
  const json = entity === null ? '' : JSON.stringify(document.value)
  const isTooLarge = Buffer.byteLength(json) > ENTITY_BYTES_MAX

  const all = [...jsonFaults, ...faults, ...(isTooLarge ? [oversized] : [])]
  const findings = all.slice(0, findingsLeft).map((fault) => findingOf(fault, ref, document))
  if (entity === null || isTooLarge) return { entity: null, findings }
  const { line } = document.locate([])
  const references = locateReferences(entity.references, document)
  return { entity: { ...entity, references, json, line }, findings }
}

function locateReferences(
  fields: readonly FieldReferences[],
  document: YamlDocument,
): readonly Reference[] {
  return fields.flatMap(({ field, texts }) => {
    const path = ['spec', field]
    const items = document.locateItems(path)
    return texts.map((text, index) => ({ field, text, ...(items[index] ?? document.locate(path)) }))
  })
}

function findingOf(fault: EntityFault, ref: string | null, document: YamlDocument): Finding {
  const { line, column } = document.locate(fault.path)
  return { severity: fault.severity, code: fault.code, line, column, ref, message: fault.message }
}

const oversized: EntityFault = { severity: 'error', path: [], ...tooLarge }

const broken = (finding: Finding): ParsedFile => ({ entities: [], findings: [finding] })
