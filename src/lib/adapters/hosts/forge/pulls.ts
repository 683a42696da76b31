import { createLru } from '../../../concurrency/lru.ts'
import type { BranchName, ObjectId } from '../../../names.ts'
import type { GitAnswer, PullRequest, PullRequestFilter } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { ForgeFailure } from '../../../ports/forge.ts'
import { hostError } from '../../../git/git.ts'
import { readBlobs } from '../../../git/objects.ts'
import { parseRecord, type PullRecord } from './pull-record.ts'
import { branchRef } from '../../../git/refs.ts'
import type { OpenRepository } from './repositories.ts'

/** A pull request as the repository has it. */
export interface Pull {
  readonly number: number
  readonly record: PullRecord
  /** Id of the record, by which compare-and-swap notices another writer. */
  readonly blob: ObjectId
  /** Last commit of the proposal. */
  readonly head: ObjectId
}

export interface PullSnapshot {
  /** Branches, heads and records of pull requests. */
  readonly refs: ReadonlyMap<string, ObjectId>
  /** Newest first. */
  readonly pulls: readonly Pull[]
}

const RECORDS_MAX = 20_000
const RECORD_BYTES_MAX = 1024 * 1024
const RECORDS = 'refs/portico/pulls/'
const LIST_DEFAULT = 100

/** Git clients fetch it as `pull/<number>/head`. */
export const pullHeadRef = (number: number) => `refs/pull/${number}/head`
export const pullRecordRef = (number: number) => `${RECORDS}${number}`

export const tipOf = ({ refs }: PullSnapshot, branch: BranchName) => refs.get(branchRef(branch))

/** Reads the pull requests. Records that it has not seen before take a process. */
export function createPullReader() {
  const cache = createLru<ObjectId, PullRecord>(RECORDS_MAX)

  return async function readPulls({
    directory,
    refs: read,
  }: OpenRepository): GitAnswer<PullSnapshot> {
    const found = await read()
    if (!found.ok) return found
    const refs = found.value.all
    const blobs = [...refs].filter(([ref]) => ref.startsWith(RECORDS))
    const records = new Map(blobs.map(([, blob]) => [blob, cache.get(blob)]))
    const unread = [...records].flatMap(([blob, record]) => (record === undefined ? [blob] : []))
    for await (const read of readBlobs(directory, unread, RECORD_BYTES_MAX)) {
      if (!read.ok) return read
      const { id } = read.value
      const bytes = read.value.kind === 'read' ? read.value.bytes : null
      const record = bytes === null ? undefined : parseRecord(bytes)
      if (record === undefined) return err(hostError(`${id} is not the record of a pull request`))
      records.set(id, record)
      cache.set(id, record)
    }

    const pulls: Pull[] = []
    for (const [ref, blob] of blobs) {
      const number = Number(ref.slice(RECORDS.length))
      const head = refs.get(pullHeadRef(number))
      const record = records.get(blob)
      if (head === undefined || record === undefined) {
        return err(hostError(`pull request ${number} is incomplete`))
      }
      pulls.push({ number, record, blob, head })
    }
    pulls.sort((one, other) => other.number - one.number)
    return ok({ refs, pulls })
  }
}

export type PullReader = ReturnType<typeof createPullReader>

export function selectPulls({ pulls }: PullSnapshot, filter: PullRequestFilter): readonly Pull[] {
  if ('number' in filter) return pulls.filter(({ number }) => number === filter.number)
  const { head, base, state, limit = LIST_DEFAULT } = filter
  return pulls
    .filter(({ record }) => head === undefined || record.head === head)
    .filter(({ record }) => base === undefined || record.base === base)
    .filter(({ record }) => state === undefined || record.state.kind === state)
    .slice(0, Math.max(0, limit))
}

/** Approvals of its last commit. */
export const approvalsOf = ({ record, head }: Pull) =>
  (record.approvals ?? []).filter((approval) => approval.head === head)

export function findPull(
  { pulls }: PullSnapshot,
  number: number,
): Result<Pull, Extract<ForgeFailure, { kind: 'forge_pull_request_not_found' }>> {
  const pull = pulls.find((one) => one.number === number)
  return pull ? ok(pull) : err({ kind: 'forge_pull_request_not_found', number })
}

export function toPullRequest(
  { number, record, head }: Pull,
  mergeable: PullRequest['mergeable'],
  url: string,
): PullRequest {
  const { title, body, author, base, createdAt, state } = record
  return {
    number,
    title,
    body,
    url,
    state: state.kind,
    head: { branch: record.head, commit: head },
    base,
    mergeable,
    createdBy: author.name,
    createdAt,
    closedAt: state.kind === 'open' ? null : state.at,
    mergeCommit: state.kind === 'merged' ? state.commit : null,
    mergedBy: state.kind === 'merged' ? state.by : null,
  }
}
