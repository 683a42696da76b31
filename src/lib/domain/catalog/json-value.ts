import { isObject } from '../../text/json.ts'
import type { EntityFault } from './entity.ts'

/** Limits of a document. Aliases make a small file a huge value, so they count wherever they are used. */
const NODES_MAX = 50_000
const DEPTH_MAX = 64
export const ENTITY_BYTES_MAX = 256 * 1024

/** Limits of a file with all its documents. Without aliases no file has as many characters. */
const FILE_NODES_MAX = 4 * NODES_MAX
const FILE_CHARACTERS_MAX = 4 * ENTITY_BYTES_MAX

/** Sum over the documents of one file, so that many small alias bombs count as one large one. */
export interface JsonUsage {
  nodes: number
  characters: number
}

export const noJsonUsage = (): JsonUsage => ({ nodes: 0, characters: 0 })

/** The reasons why a value that was read from YAML cannot be served as JSON, within the limits of an entity and its file. */
export function checkJsonValue(value: unknown, file: JsonUsage): readonly EntityFault[] {
  const faults: EntityFault[] = []
  const path: (string | number)[] = []
  const ancestors: object[] = []
  let nodes = 0
  let characters = 0

  const refuse = (fault: Omit<EntityFault, 'severity' | 'path'>): false => {
    faults.push({ severity: 'error', path: [...path], ...fault })
    return false
  }

  /** `false` ends the walk. */
  const walk = (node: unknown): boolean => {
    if (typeof node === 'string') characters += node.length
    if (++nodes > NODES_MAX || characters > ENTITY_BYTES_MAX) return refuse(tooLarge)
    if (typeof node === 'number') return checkNumber(node)
    if (Array.isArray(node)) return enter(node, walkItems)
    return isObject(node) ? enter(node, walkMembers) : true
  }
  const enter = <Node extends object>(
    node: Node,
    walkChildren: (node: Node) => boolean,
  ): boolean => {
    if (ancestors.includes(node)) {
      return refuse({ code: 'document_cyclic', message: 'an alias contains itself' })
    }
    if (ancestors.length >= DEPTH_MAX) {
      return refuse({ code: 'yaml_too_deep', message: `nested deeper than ${DEPTH_MAX}` })
    }
    ancestors.push(node)
    const goesOn = walkChildren(node)
    ancestors.pop()
    return goesOn
  }
  // A loop without iterators: making them took a tenth of the time of parsing a file.
  const walkItems = (items: readonly unknown[]): boolean => {
    for (let index = 0; index < items.length; index++) {
      path.push(index)
      if (!walk(items[index])) return false
      path.pop()
    }
    return true
  }
  const walkMembers = (mapping: Readonly<Record<string, unknown>>): boolean => {
    for (const key of Object.keys(mapping)) {
      characters += key.length
      path.push(key)
      if (!walk(mapping[key])) return false
      path.pop()
    }
    return true
  }
  const checkNumber = (number: number): boolean => {
    if (!Number.isFinite(number)) {
      return refuse({ code: 'document_not_json', message: 'JSON has no infinity and no NaN' })
    }
    if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
      faults.push({
        severity: 'warning',
        code: 'number_imprecise',
        path: [...path],
        message: 'a number this large loses digits; quote it to keep them',
      })
    }
    return true
  }

  if (file.nodes >= FILE_NODES_MAX || file.characters >= FILE_CHARACTERS_MAX) {
    refuse({ code: 'document_too_large', message: 'aliases make this file too large' })
    return faults
  }
  walk(value)
  file.nodes += nodes
  file.characters += characters
  return faults
}

export const tooLarge: Pick<EntityFault, 'code' | 'message'> = {
  code: 'document_too_large',
  message: `an entity may have at most ${NODES_MAX} values and ${ENTITY_BYTES_MAX} bytes as JSON`,
}
