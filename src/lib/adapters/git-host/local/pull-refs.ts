import { LRUCache } from 'lru-cache'
import type { BranchName, ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostError } from './git.ts'
import { readBlobs } from './objects.ts'
import { parseRecord, type PullRecord } from './pull-record.ts'
import { readRefs } from './refs.ts'

export interface Pull {
  readonly number: number
  readonly record: PullRecord
  /** Where the record is kept: its id is what compare-and-swap compares. */
  readonly blob: ObjectId
  /** The last commit of what is, or was, proposed. */
  readonly head: ObjectId
}

export interface Snapshot {
  /** Branches, and what pull requests are made of. */
  readonly refs: ReadonlyMap<string, ObjectId>
  /** Newest first. */
  readonly pulls: readonly Pull[]
}

const RECORDS_MAX = 20_000
const RECORDS = 'refs/portico/pulls/'

/** Git clients fetch it as `pull/<number>/head`. */
export const pullHeadRef = (number: number) => `refs/pull/${number}/head`
export const pullRecordRef = (number: number) => `${RECORDS}${number}`

export const tipOf = ({ refs }: Snapshot, branch: BranchName) => refs.get(`refs/heads/${branch}`)

/** A title, a description and what is known of it. */
const RECORD_BYTES_MAX = 1024 * 1024

/** Reads branches and pull requests with one process, and one more when there are records that were never seen. */
export function createPullReader() {
  const records = new LRUCache<string, PullRecord>({ max: RECORDS_MAX })

  return async function readPulls(directory: string): Promise<Result<Snapshot, GitFailure>> {
    const refs = await readRefs(directory, ['refs/heads', 'refs/pull', 'refs/portico/pulls'])
    if (!refs.ok) return refs

    const ids = [...refs.value].flatMap(([ref, id]) => (ref.startsWith(RECORDS) ? [id] : []))
    const fresh = ids.filter((id) => records.get(id) === undefined)
    const seen = new Map<string, PullRecord>()
    for await (const read of readBlobs(directory, fresh, RECORD_BYTES_MAX)) {
      if (!read.ok) return read
      const id = fresh[read.value.index]
      const { bytes } = read.value
      const record = bytes === null ? undefined : parseRecord(bytes)
      if (id === undefined || record === undefined) {
        return err(hostError(`${id} is not the record of a pull request`))
      }
      seen.set(id, record)
      records.set(id, record)
    }

    const pulls: Pull[] = []
    for (const [ref, blob] of refs.value) {
      if (!ref.startsWith(RECORDS)) continue
      const number = Number(ref.slice(RECORDS.length))
      const head = refs.value.get(pullHeadRef(number))
      const record = seen.get(blob) ?? records.get(blob)
      if (head === undefined || record === undefined) {
        return err(hostError(`pull request ${number} is incomplete`))
      }
      pulls.push({ number, record, blob, head })
    }
    pulls.sort((one, other) => other.number - one.number)
    return ok({ refs: refs.value, pulls })
  }
}
