import { ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createByteReader } from './byte-reader.ts'
import { complaintOf, gitText, hostError, tryStart } from './git.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'

const READ_DEADLINE_MS = 120_000
/** Git writes every object by itself, header and content. For a few there is no need to wait. */
const GATHER_MS = 1
const MANY = 64

export interface NamedObject {
  readonly id: ObjectId
  readonly type: string
}

/** What each name stands for, in the same order; `null` when there is no such object. One process for all. */
export async function resolveObjects(
  directory: string,
  names: readonly string[],
): Promise<Result<readonly (NamedObject | null)[], GitFailure>> {
  if (names.length === 0) return ok([])
  const input = new Blob([names.join('\n'), '\n'])
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)']
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

export interface BlobRead {
  readonly index: number
  /** `null`: larger than asked for. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

/**
 * Bytes of blobs in the order asked for, from one process, each checked against its id. Ends the process when the
 * consumer stops early.
 */
export async function* readBlobs(
  directory: string,
  ids: readonly ObjectId[],
  maxBytes: number,
): AsyncGenerator<Result<BlobRead, GitFailure>, void, void> {
  if (ids.length === 0) return
  const args = ['cat-file', '--batch', '--buffer']
  const running = tryStart([`--git-dir=${directory}`, ...args], new Blob([`${ids.join('\n')}\n`]), {
    deadlineMs: READ_DEADLINE_MS,
  })
  if (!running.ok) return yield running
  const { child, complaint, ranOutOfTime, stop } = running.value
  try {
    const pause = createTimeSlice()
    const reader = createByteReader(child.stdout, ids.length < MANY ? 0 : GATHER_MS)
    for (const [index, id] of ids.entries()) {
      const turn = pause()
      // To await nothing, ten thousand times, costs a fifth of reading.
      if (turn !== undefined) await turn
      const header = reader.bufferedLine() ?? (await reader.line())
      if (header === undefined) {
        if (ranOutOfTime()) return yield err({ kind: 'git_host_timeout' })
        const [code, stderr] = await Promise.all([child.exited, complaint])
        return yield err(complaintOf(args, { code, stderr }))
      }
      if (header === `${id} missing`) return yield err({ kind: 'git_not_found', what: 'file' })
      const size = sizeIn(header, id)
      if (size === undefined) return yield err(hostError(`${id} is not a blob`))

      // The content, and the line end behind it.
      const isRead =
        size > maxBytes
          ? await reader.skip(size + 1)
          : (reader.bufferedBytes(size + 1) ?? (await reader.bytes(size + 1)))
      if (isRead === undefined) {
        return yield err(ranOutOfTime() ? { kind: 'git_host_timeout' } : hostError(`${id} cut off`))
      }
      if (isRead === 'skipped') {
        yield ok({ index, bytes: null })
        continue
      }
      const bytes = isRead.subarray(0, size)
      const hash = new Bun.CryptoHasher('sha1').update(`blob ${size}\0`).update(bytes)
      if (hash.digest('hex') !== id)
        return yield err(hostError(`${id} has other bytes than its id`))
      yield ok({ index, bytes })
    }
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
