import { createSemaphore } from '../../concurrency/semaphore.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { isObject, parseJson } from '../../text/json.ts'

/** JSON of an entity, or of a part of it. */
export interface EntityJson {
  readonly json: string
  /** Size of `json` in UTF-8. */
  readonly jsonBytes: number
}

/** Each selection of fields parses its whole list: two at a time would take twice the memory and no less time. */
const oneAtATime = createSemaphore(1)

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
