import { createTimeSlice } from '../concurrency/time-slice.ts'
import { ObjectId } from '../names.ts'
import type { GitAnswer, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { gitText, hostError } from './git.ts'
import { createObjectReader, type ReadObject } from './object-reader.ts'

/** Its `starts` are of interest to metrics. */
export const objectReader = createObjectReader()

/** Portions of one request to git, which answers others in between. */
const NAMES_MAX = 1_000
const CONTENTS_MAX = 256
const CONTENTS_BYTES_MAX = 4 * 1024 * 1024

export type NamedObject = Omit<ReadObject, 'bytes'>

/** The object of each name, in the same order; `null` when there is none. */
export async function resolveObjects(
  directory: string,
  names: readonly string[],
): GitAnswer<readonly (NamedObject | null)[]> {
  const objects: (NamedObject | null)[] = []
  const ask = (start: number) =>
    objectReader.ask(directory, { command: 'info', names: names.slice(start, start + NAMES_MAX) })
  let ahead = ask(0)
  for (let start = 0; start < names.length; start += NAMES_MAX) {
    const answers = await ahead
    ahead = ask(start + NAMES_MAX)
    if (!answers.ok) return answers
    objects.push(...answers.value)
  }
  return ok(objects)
}

export type BlobContent =
  | {
      readonly kind: 'read'
      readonly id: ObjectId
      /** `null`: larger than `maxBytes`. */
      readonly bytes: Uint8Array<ArrayBuffer> | null
    }
  /** Missing, damaged, or no blob. */
  | { readonly kind: 'unreadable'; readonly id: ObjectId }

/**
 * Bytes of blobs, each checked against its id. Sizes are asked for first, and come without unpacking: a blob of a few bytes in the
 * repository may have gigabytes. The first failure is the last item.
 */
export async function* readBlobs(
  directory: string,
  ids: readonly ObjectId[],
  maxBytes: number,
): AsyncGenerator<GitResult<BlobContent>, void, void> {
  const found = await resolveObjects(directory, ids)
  if (!found.ok) return yield found
  const isReadable = (object: NamedObject | null) =>
    object?.type === 'blob' && object.sizeBytes <= maxBytes
  const readable = found.value.flatMap((object) => (object && isReadable(object) ? [object] : []))
  const contents = readContents(directory, readable)
  for (const [index, id] of ids.entries()) {
    const object = found.value[index]
    if (object?.type !== 'blob') yield ok({ kind: 'unreadable', id })
    else if (object.sizeBytes > maxBytes) yield ok({ kind: 'read', id, bytes: null })
    else {
      const { value: read } = await contents.next()
      if (!read) return
      if (!read.ok) return yield read
      const { bytes } = read.value
      yield ok(bytes === null ? { kind: 'unreadable', id } : { kind: 'read', id, bytes })
    }
  }
}

/** The bytes of each object, `null` for one that is damaged. A portion is on its way while the one before is used. */
export async function* readContents(
  directory: string,
  objects: readonly NamedObject[],
): AsyncGenerator<GitResult<ObjectContent>, void, void> {
  const pause = createTimeSlice()
  const ask = (portion: readonly NamedObject[]) =>
    objectReader.ask(directory, {
      command: 'contents',
      names: portion.map(({ id }) => id),
      bytesMax: Math.max(0, ...portion.map(({ sizeBytes }) => sizeBytes)),
    })
  const portions = [...portionsOf(objects)]
  let ahead = ask(portions[0] ?? [])
  for (const [index, portion] of portions.entries()) {
    const answers = await ahead
    ahead = ask(portions[index + 1] ?? [])
    if (!answers.ok) return yield answers
    for (const [position, { id }] of portion.entries()) {
      await pause()
      const object = answers.value[position]
      yield ok({ id, bytes: object && isSound(object) ? object.bytes : null })
    }
  }
}

interface ObjectContent {
  readonly id: ObjectId
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

function* portionsOf(objects: readonly NamedObject[]): Generator<readonly NamedObject[]> {
  let portion: NamedObject[] = []
  let bytes = 0
  for (const object of objects) {
    bytes += object.sizeBytes
    if (portion.length === CONTENTS_MAX || (portion.length > 0 && bytes > CONTENTS_BYTES_MAX)) {
      yield portion
      portion = []
      bytes = object.sizeBytes
    }
    portion.push(object)
  }
  if (portion.length > 0) yield portion
}

const isSound = ({ id, type, bytes }: ReadObject): boolean =>
  new Bun.CryptoHasher('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex') ===
  id

export async function writeBlob(directory: string, text: string): GitAnswer<ObjectId> {
  const input = new Blob([text])
  return idFrom(await gitText(directory, ['hash-object', '-w', '--stdin'], { input }))
}

/** The object id that is the whole answer of a command. */
export function idFrom(text: GitResult<string>): GitResult<ObjectId> {
  if (!text.ok) return text
  const id = ObjectId.parse(text.value.trimEnd())
  return id ? ok(id) : err(hostError(`git answered ${text.value.slice(0, 100)} for an object id`))
}
