import { createFair } from '../../concurrency/fair.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { isObject, parseJson } from '../../text/json.ts'

/** JSON of an entity, or of a part of it. */
export interface EntityJson {
  readonly json: string
  /** Size of `json` in UTF-8. */
  readonly jsonBytes: number
}

/** Each selection of fields parses a whole list: two at a time would take twice the memory and no less time. */
const { inTurn: oneAtATime } = createFair({ queue: 'catalog_fields', permits: 1 })

/** The entities with these fields alone, such as `metadata.name`, in slices of the event loop. */
export const onlyFields = (
  entities: readonly EntityJson[],
  fields: readonly string[],
): Promise<readonly EntityJson[]> =>
  oneAtATime(async () => {
    const pause = createTimeSlice()
    const parts: EntityJson[] = []
    for (const entity of entities) {
      const json = JSON.stringify(partOf(parseJson(entity.json), fields))
      parts.push({ json, jsonBytes: Buffer.byteLength(json) })
      await pause()
    }
    return parts
  })

/** Those of the fields that none of the entities has. However many are asked for, an entity is parsed once. */
export async function unknownFields(
  entities: readonly EntityJson[],
  fields: readonly string[],
): Promise<readonly string[]> {
  const unknown = new Set(fields)
  // Lists without such fields do not wait for those of others.
  if (unknown.size === 0) return []
  return oneAtATime(async () => {
    const pause = createTimeSlice()
    for (const { json } of entities) {
      if (unknown.size === 0) break
      const entity = parseJson(json)
      for (const field of unknown) {
        if (Object.keys(partOf(entity, [field])).length > 0) unknown.delete(field)
      }
      await pause()
    }
    return [...unknown]
  })
}

/**
 * The members of an object at these paths, in the object's order. A key may have dots, as those of annotations do. Lists are taken
 * whole. Members that are not there are left out.
 */
function partOf(value: unknown, paths: readonly string[]): object {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (paths.includes(key)) return [[key, member]]
      const prefix = `${key}.`
      const inside = paths.filter((path) => path.startsWith(prefix))
      if (inside.length === 0) return []
      const part = partOf(
        member,
        inside.map((path) => path.slice(prefix.length)),
      )
      return Object.keys(part).length === 0 ? [] : [[key, part]]
    }),
  )
}
