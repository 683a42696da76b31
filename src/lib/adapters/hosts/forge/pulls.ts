import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { createLru } from '../../../concurrency/lru.ts'
import { hostError } from '../../../git/git.ts'
import { findMergeCommit, type History } from '../../../git/history.ts'
import { readBlobs, writeBlob } from '../../../git/objects.ts'
import { branchRef, type RefChange } from '../../../git/refs.ts'
import { BranchName, ObjectId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ForgeFailure } from '../../../ports/forge.ts'
import type { GitAnswer, PullRequest, PullRequestFilter } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { parseJson } from '../../../text/json.ts'
import type { OpenRepository } from './repositories.ts'

/** Milliseconds since the Unix epoch. */
const Time = Type.Integer()
/** Name of the person; `null` when a change to the branches ended the pull request. */
const Closer = Nullable(Type.String())

/** An approval counts as long as `head` is the last commit. */
const Approval = Type.Object({
  issuer: Type.String(),
  subject: Type.String(),
  name: Type.String(),
  head: named(ObjectId),
  at: Time,
})

const State = Type.Union([
  Type.Object({ kind: Type.Literal('open') }),
  Type.Object({ kind: Type.Literal('merged'), at: Time, commit: named(ObjectId), by: Closer }),
  Type.Object({ kind: Type.Literal('closed'), at: Time, by: Closer }),
])

const Record = Type.Object({
  version: Type.Literal(1),
  title: Type.String(),
  body: Type.String(),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  head: named(BranchName),
  base: named(BranchName),
  /** Tip of the base at the opening: the diff starts there once the base contains the change. */
  openedOn: named(ObjectId),
  createdAt: Time,
  state: State,
  approvals: Type.Optional(Type.Array(Approval)),
})

/** The part of a pull request that git's own objects do not hold: the blob at `refs/portico/pulls/<number>`. */
export type PullRecord = Static<typeof Record>

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
const NOTHING = new Uint8Array()
const ATTEMPTS = 5

/** Git clients fetch it as `pull/<number>/head`. */
export const pullHeadRef = (number: number) => `refs/pull/${number}/head`
export const pullRecordRef = (number: number) => `${RECORDS}${number}`

export const tipOf = ({ refs }: PullSnapshot, branch: BranchName) => refs.get(branchRef(branch))

/** Reads the pull requests. Records that it has not seen before take a process. */
function createPullReader() {
  const cache = createLru<ObjectId, PullRecord>(RECORDS_MAX)

  return async ({ directory, refs: read }: OpenRepository): GitAnswer<PullSnapshot> => {
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
      const record = parseJson(new TextDecoder().decode(bytes ?? NOTHING))
      if (!Value.Check(Record, record)) {
        return err(hostError(`${id} is not the record of a pull request`))
      }
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

/** Reads pull requests as they are by now. */
export function createSettling(history: History, clock: Clock) {
  const readPulls = createPullReader()

  /**
   * Reads the pull requests, and first brings open ones in line with their branches, which pushes and other processes move:
   * - the base contains its last commit: it was merged;
   * - a branch is gone, or has nothing that the base does not have: it is closed;
   * - its branch moved: its head follows.
   */
  return async (repository: OpenRepository): GitAnswer<PullSnapshot> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const snapshot = await readPulls(repository)
      if (!snapshot.ok) return snapshot
      const edits = await findEdits(repository.directory, snapshot.value, history, clock.now())
      if (!edits.ok) return edits
      if (edits.value.length === 0) return snapshot
      const outcome = await repository.changeRefs(edits.value)
      if (!outcome.ok) return outcome
    }
    return err(hostError('the branches move faster than the pull requests can follow'))
  }
}

async function findEdits(
  directory: string,
  snapshot: PullSnapshot,
  history: History,
  now: number,
): GitAnswer<readonly RefChange[]> {
  const edits: RefChange[] = []
  const open = snapshot.pulls.filter(({ record }) => record.state.kind === 'open')
  for (const [branch, pulls] of Map.groupBy(open, ({ record }) => record.base)) {
    const base = tipOf(snapshot, branch)
    const heads = pulls.flatMap(({ head, record }) => [head, tipOf(snapshot, record.head) ?? head])
    const contained = await history.containedIn(directory, base, heads)
    if (!contained.ok) return contained
    for (const pull of pulls) {
      const edit = await editOf(directory, snapshot, pull, contained.value, now)
      if (!edit.ok) return edit
      if (edit.value !== null) edits.push(edit.value)
    }
  }
  return ok(edits)
}

/** The edit by which an open pull request follows its branches. `contained`: commits that its base contains. `null`: none. */
async function editOf(
  directory: string,
  snapshot: PullSnapshot,
  pull: Pull,
  contained: ReadonlySet<ObjectId>,
  at: number,
): GitAnswer<RefChange | null> {
  const { number, head, record } = pull
  const [base, tip] = [tipOf(snapshot, record.base), tipOf(snapshot, record.head)]
  if (base !== undefined && contained.has(head)) {
    const commit = await findMergeCommit(directory, base, head)
    if (!commit.ok) return commit
    const state = { kind: 'merged', at, commit: commit.value, by: null } as const
    return editRecord(directory, pull, { state })
  }
  if (base === undefined || tip === undefined || contained.has(tip)) {
    return editRecord(directory, pull, { state: { kind: 'closed', at, by: null } })
  }
  return ok(tip === head ? null : { ref: pullHeadRef(number), before: head, after: tip })
}

/** The edit that changes the record of a pull request; it loses when somebody else changed it in between. */
export async function editRecord(
  directory: string,
  { number, record, blob }: Pull,
  changes: Partial<Pick<PullRecord, 'state' | 'approvals'>>,
): GitAnswer<RefChange> {
  const after = await writeBlob(directory, JSON.stringify({ ...record, ...changes }))
  return after.ok ? ok({ ref: pullRecordRef(number), before: blob, after: after.value }) : after
}
