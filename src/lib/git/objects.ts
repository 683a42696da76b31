import { ObjectId } from '../names.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { createTimeSlice } from '../concurrency/time-slice.ts'
import { complaintOf, gitText, hostError, startGit } from './git.ts'

const READ_DEADLINE_MS = 120_000

export interface NamedObject {
  readonly id: ObjectId
  readonly type: string
}

/** The object of each name, in the same order; `null` when there is none. One process for all. */
export async function resolveObjects(
  directory: string,
  names: readonly string[],
): Promise<Result<readonly (NamedObject | null)[], GitFailure>> {
  if (names.length === 0) return ok([])
  const input = new Blob([names.join('\n'), '\n'])
  const args = ['cat-file', '--buffer', '--batch-check=%(objectname) %(objecttype)']
  const text = await gitText(directory, args, { input })
  if (!text.ok) return text
  const lines = text.value.split('\n').slice(0, -1)
  if (lines.length !== names.length) return err(hostError('git cat-file: an answer is missing'))
  return ok(
    lines.map((line) => {
      const [name, type = 'missing'] = line.split(' ')
      const id = ObjectId.parse(name)
      return id === undefined || type === 'missing' ? null : { id, type }
    }),
  )
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

/** Git ends at a damaged object, and is started again behind it. */
const STARTS_MAX = 20

/**
 * Bytes of blobs, each checked against its id. Sizes are asked for first, and come without unpacking: a blob of a few bytes in the
 * repository may have gigabytes. The first failure is the last item.
 */
export async function* readBlobs(
  directory: string,
  ids: readonly ObjectId[],
  maxBytes: number,
): AsyncGenerator<Result<BlobContent, GitFailure>, void, void> {
  const large = await findLarge(directory, ids, maxBytes)
  if (!large.ok) return yield large
  for (const id of large.value) yield ok({ kind: 'read', id, bytes: null })
  let left = ids.filter((id) => !large.value.has(id))
  for (let start = 1; left.length > 0; start++) {
    let done = 0
    for await (const read of readUntilDamage(directory, left)) {
      const [damaged] = left.slice(done)
      if (read.ok) {
        yield read
        done += 1
      } else if (damaged !== undefined && start < STARTS_MAX && isAbout(read.error, damaged)) {
        yield ok({ kind: 'unreadable', id: damaged })
        done += 1
      } else return yield read
    }
    left = left.slice(done)
  }
}

/** Git names the object when it cannot go on because of it. */
const isAbout = (failure: GitFailure, id: ObjectId): boolean =>
  failure.kind === 'git_host_error' && failure.reason.includes(id)

async function findLarge(
  directory: string,
  ids: readonly ObjectId[],
  maxBytes: number,
): Promise<Result<ReadonlySet<ObjectId>, GitFailure>> {
  if (ids.length === 0) return ok(new Set())
  const input = new Blob([`${ids.join('\n')}\n`])
  const args = ['cat-file', '--buffer', '--batch-check=%(objectsize)']
  const text = await gitText(directory, args, { input, deadlineMs: READ_DEADLINE_MS })
  if (!text.ok) return text
  const sizes = text.value.split('\n')
  // The line of a missing object is no number; reading it says so.
  return ok(new Set(ids.filter((_, index) => Number(sizes[index]) > maxBytes)))
}

async function* readUntilDamage(
  directory: string,
  ids: readonly ObjectId[],
): AsyncGenerator<Result<BlobContent, GitFailure>, void, void> {
  const input = new Blob([`${ids.join('\n')}\n`])
  const args = ['cat-file', '--batch', '--buffer']
  const options = { deadlineMs: READ_DEADLINE_MS }
  const running = startGit([`--git-dir=${directory}`, ...args], input, options)
  if (!running.ok) return yield running
  const { child, complaint, isLate, stop } = running.value
  const pause = createTimeSlice()
  let next = 0
  let buffered = Buffer.alloc(0)
  try {
    for await (const chunk of child.stdout) {
      buffered = Buffer.concat([buffered, chunk])
      for (;;) {
        const id = ids[next]
        const headerEnd = buffered.indexOf('\n')
        if (id === undefined || headerEnd < 0) break

        const { type, size } = headerOf(buffered.toString('latin1', 0, headerEnd))
        const start = headerEnd + 1
        const end = start + size
        if (type === 'missing') {
          yield ok({ kind: 'unreadable', id })
          buffered = buffered.subarray(start)
          next += 1
          continue
        }
        if (buffered.length <= end) break
        // A copy: a view would keep its neighbours in memory.
        const bytes = new Uint8Array(buffered.subarray(start, end))
        const hash = new Bun.CryptoHasher('sha1').update(`blob ${size}\0`).update(bytes)
        yield ok(
          hash.digest('hex') === id ? { kind: 'read', id, bytes } : { kind: 'unreadable', id },
        )
        buffered = buffered.subarray(end + 1)
        next += 1
      }
      await pause()
    }
    if (next === ids.length) return
    const [code, stderr] = await Promise.all([child.exited, complaint])
    yield err(isLate() ? { kind: 'git_host_timeout' } : complaintOf(args, { code, stderr }))
  } finally {
    stop()
  }
}

/** `<id> missing`, or `<id> <type> <size>`. */
function headerOf(header: string): { readonly type: string; readonly size: number } {
  const [, type = 'missing', size = '0'] = header.split(' ')
  return { type, size: Number(size) }
}

export async function writeBlob(
  directory: string,
  text: string,
): Promise<Result<ObjectId, GitFailure>> {
  const input = new Blob([text])
  return idFrom(await gitText(directory, ['hash-object', '-w', '--stdin'], { input }))
}

/** The object id that is the whole answer of a command. */
export function idFrom(text: Result<string, GitFailure>): Result<ObjectId, GitFailure> {
  if (!text.ok) return text
  const id = ObjectId.parse(text.value.trimEnd())
  return id ? ok(id) : err(hostError(`git answered ${text.value.slice(0, 100)} for an object id`))
}
