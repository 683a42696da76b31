import { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
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

export interface BlobContent {
  readonly id: ObjectId
  /** `null`: larger than `maxBytes`. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

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
  for (const id of large.value) yield ok({ id, bytes: null })
  const others = ids.filter((id) => !large.value.has(id))
  yield* readSmallBlobs(directory, others)
}

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

async function* readSmallBlobs(
  directory: string,
  ids: readonly ObjectId[],
): AsyncGenerator<Result<BlobContent, GitFailure>, void, void> {
  if (ids.length === 0) return
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

        const header = buffered.toString('latin1', 0, headerEnd)
        if (header === `${id} missing`) return yield err({ kind: 'git_not_found', what: 'file' })
        const size = sizeIn(header, id)
        if (size === undefined) return yield err(hostError(`${id} is not a blob`))
        const start = headerEnd + 1
        const end = start + size
        if (buffered.length <= end) break
        // A copy: a view would keep its neighbours in memory.
        const bytes = new Uint8Array(buffered.subarray(start, end))
        const hash = new Bun.CryptoHasher('sha1').update(`blob ${size}\0`).update(bytes)
        if (hash.digest('hex') !== id) {
          return yield err(hostError(`${id} has other bytes than its id`))
        }
        yield ok({ id, bytes })
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

function sizeIn(header: string, id: ObjectId): number | undefined {
  const [name, type, size] = header.split(' ')
  const bytes = Number(size)
  return name === id && type === 'blob' && Number.isSafeInteger(bytes) ? bytes : undefined
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
