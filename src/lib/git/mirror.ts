import { BranchName, ObjectId, type RepositoryId } from '../names.ts'
import type { Clock } from '../ports/clock.ts'
import {
  BRANCHES_MAX,
  type CommitRequest,
  type FileContent,
  type FileToRead,
  type GitContent,
  type GitFailure,
  type Head,
  type NewRepository,
} from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { importCommit } from './fast-import.ts'
import { readFiles } from './files.ts'
import { type GitOutput, hostError, runGit } from './git.ts'
import { merge } from './history.ts'
import { listFiles } from './listing.ts'
import { listCommits } from './log.ts'
import { createMirrorStore, type Needs } from './mirror-store.ts'
import { resolveObjects } from './objects.ts'
import { branchRef } from './refs.ts'
import type { Signing } from './signing.ts'
import { overNetwork, refusedPush, type Remote, type RemoteRefs, readRemoteRefs } from './remote.ts'

/** Makes a commit by the API of the host, which may sign it, where a branch stands at its parent. */
export type CommitOnHost = (
  repository: RepositoryId,
  request: CommitRequest,
) => Promise<Result<ObjectId, RefusedCommit>>

export interface RefusedCommit {
  readonly failure: GitFailure
  /** The host has made the branch of the request, and perhaps no commit. */
  readonly hasMadeBranch: boolean
}

export interface MirrorOptions {
  readonly root: string
  readonly remote: Remote
  readonly clock: Clock
  /** `null`: commits are pushed. */
  readonly commitOnHost: CommitOnHost | null
  /** By default commits that are pushed are not signed. */
  readonly signing?: Signing | null
}

/** The first commit of a repository, on a branch that stands at `before`. `null`: it does not exist. */
export interface RootCommit extends Pick<NewRepository, 'files' | 'message' | 'author'> {
  readonly branch: BranchName
  readonly before: ObjectId | null
  /** Milliseconds since the Unix epoch: a repetition with the same time makes the same commit. */
  readonly at: number
}

export interface Mirror {
  readonly content: GitContent
  /** Also in a repository that is being made. */
  placeRoot(repository: RepositoryId, root: RootCommit): Promise<Result<Head, GitFailure>>
  /** Refs of the host by a pattern of `git ls-remote`, such as `refs/pull/*\/head`. */
  listRemoteRefs(repository: RepositoryId, pattern: string): Promise<Result<RemoteRefs, GitFailure>>
}

/** The content of the repositories of a git host, by git's own protocol and a mirror on this disk; `docs/decisions/git-engine.md`. */
export function createMirror({
  root,
  remote,
  clock,
  commitOnHost,
  signing = null,
}: MirrorOptions): Mirror {
  const store = createMirrorStore({ root, remote })

  /** Discards a damaged mirror, unless the host could not fill another one now. */
  async function renew(id: RepositoryId, since: number): Promise<boolean> {
    const tips = await readBranches(id, NO_REPOSITORY)
    return tips.ok && tips.value.size > 0 && (await store.discard(id, since))
  }

  /** Work, once more with a new mirror when this one is damaged. */
  async function mending<Value>(
    id: RepositoryId,
    work: () => Promise<Result<Value, GitFailure>>,
  ): Promise<Result<Value, GitFailure>> {
    const since = performance.now()
    const outcome = await work()
    const isMendable = !outcome.ok && mayBeDamage(outcome.error)
    return isMendable && (await renew(id, since)) ? work() : outcome
  }

  /** A read at commits. */
  async function reading<Value>(
    id: RepositoryId,
    needs: Needs,
    work: (directory: string) => Promise<Result<Value, GitFailure>>,
  ): Promise<Result<Value, GitFailure>> {
    const complete = await remote.requireComplete(id)
    if (!complete.ok) return complete
    return mending(id, async () => {
      const directory = await store.withCommits(id, needs)
      return directory.ok ? work(directory.value) : directory
    })
  }

  async function listRemoteRefs(
    id: RepositoryId,
    pattern: string,
  ): Promise<Result<RemoteRefs, GitFailure>> {
    const directory = await store.locate(id)
    return directory.ok ? readRemoteRefs(remote, id, directory.value, pattern) : directory
  }

  /** Commits of branches, by the names of these. */
  async function readBranches(
    id: RepositoryId,
    directory: string,
  ): Promise<Result<RemoteRefs, GitFailure>> {
    const refs = await readRemoteRefs(remote, id, directory, `${HEADS}*`)
    return refs.ok
      ? ok(new Map(Array.from(refs.value, ([ref, tip]) => [ref.slice(HEADS.length), tip])))
      : refs
  }

  /** The same of a complete repository, which has one at least: git takes a page in one line for a list without refs. */
  async function branchesOf(id: RepositoryId): Promise<Result<RemoteRefs, GitFailure>> {
    const directory = await store.locate(id)
    const tips = directory.ok ? await readBranches(id, directory.value) : directory
    return tips.ok && tips.value.size === 0 ? err(hostError('the host names no branch')) : tips
  }

  interface Move {
    readonly branch: BranchName
    readonly before: ObjectId | null
    /** `null`: the branch is removed. */
    readonly after: ObjectId | null
  }

  /** Moves a branch by compare-and-swap. What a push did is looked up unless it said that it worked. */
  async function push(
    id: RepositoryId,
    directory: string,
    { branch, before, after }: Move,
  ): Promise<Result<void, GitFailure>> {
    const ref = branchRef(branch)
    const pushed = await overNetwork(
      remote,
      id,
      directory,
      (url) => [
        'push',
        '--porcelain',
        '--no-verify',
        `--force-with-lease=${ref}:${before ?? ''}`,
        '--end-of-options',
        url,
        `${after ?? ''}:${ref}`,
      ],
      { isRepeatable: false },
    )
    if (pushed.ok && pushed.value.code === 0) return ok(undefined)
    if (!pushed.ok && !isUncertain(pushed.error)) return pushed
    const tips = await readBranches(id, directory)
    if (!tips.ok) return pushed.ok ? tips : pushed
    const tip = tips.value.get(branch) ?? null
    if (tip === after) return ok(undefined)
    if (!pushed.ok && after !== null && (await contains(id, tip, after))) return ok(undefined)
    return pushed.ok ? explain(id, { branch, before, after }, pushed.value, tips.value) : pushed
  }

  /** Whether somebody went on from a commit. */
  async function contains(id: RepositoryId, tip: string | null, commit: ObjectId) {
    const later = ObjectId.parse(tip)
    if (later === undefined) return false
    const directory = await store.withCommits(id, { commits: [later], history: true })
    if (!directory.ok) return false
    const asked = await runGit(directory.value, ['merge-base', '--is-ancestor', commit, later])
    return asked.ok && asked.value.code === 0
  }

  function explain(
    repository: RepositoryId,
    { branch, before, after }: Move,
    { stdout, stderr }: GitOutput,
    tips: RemoteRefs,
  ): Result<never, GitFailure> {
    const report = stdout.toString()
    if (/\[remote rejected\].*(?:declined|denied|protected|prohibited|refusing)/.test(report)) {
      return err(refusedPush(`${stderr}\n${report}`, { remote, repository, branch }))
    }
    const tip = tips.get(branch) ?? null
    if (tip !== before) {
      if (before === null) return err({ kind: 'git_branch_exists', branch })
      return err(
        tip === null && after !== null
          ? { kind: 'git_not_found', what: 'branch' }
          : { kind: 'git_conflict', branch },
      )
    }
    const by = blockerOf(tips, branch)
    if (by !== undefined) return err({ kind: 'git_branch_blocked', branch, by })
    // The branch is as expected when the push lost against one that failed, or was taken back.
    if (/cannot lock ref|stale info|failed to update ref/.test(report)) {
      return err({ kind: 'git_conflict', branch })
    }
    return err(hostError(`a push was refused: ${`${report} ${stderr}`.trim().slice(0, 300)}`))
  }

  /** A branch that is not as requested is a better answer than that nothing has changed, or that its commit is not there. */
  async function standingInTheWay(
    id: RepositoryId,
    { branch, from }: CommitRequest,
    otherwise: GitFailure,
  ): Promise<Result<never, GitFailure>> {
    const tips = await branchesOf(id)
    if (!tips.ok) return tips
    const tip = tips.value.get(branch) ?? null
    if (from.kind === 'create') {
      return err(tip === null ? otherwise : { kind: 'git_branch_exists', branch })
    }
    if (tip === null) return err({ kind: 'git_not_found', what: 'branch' })
    return err(tip === from.expected ? otherwise : { kind: 'git_conflict', branch })
  }

  async function commit(
    id: RepositoryId,
    request: CommitRequest,
  ): Promise<Result<Head, GitFailure>> {
    const { branch, from, changes, message, author } = request
    const writable = await remote.requireWritable(id)
    if (!writable.ok) return writable
    const parent = from.kind === 'advance' ? from.expected : from.parent
    const made = await mending(id, async () => {
      const located = await store.withCommits(id, { commits: [parent] })
      if (!located.ok) return located
      const commit = { parent, changes, message, author, at: clock.now(), signing }
      const imported = await importCommit(located.value, commit)
      return imported.ok ? ok({ ...imported.value, directory: located.value }) : imported
    })
    if (!made.ok) {
      const isMissing = made.error.kind === 'git_not_found' && made.error.what === 'commit'
      return isMissing ? standingInTheWay(id, request, made.error) : made
    }
    const { directory } = made.value
    if (made.value.tree === made.value.parentTree) {
      return standingInTheWay(id, request, { kind: 'git_nothing_to_commit' })
    }
    // The APIs of hosts know no executable files.
    const isPlain = changes.every(
      (change) => change.kind === 'delete' || change.executable !== true,
    )
    if (commitOnHost !== null && isPlain && from.kind !== 'replace') {
      return placeOnHost(commitOnHost, id, request, { parent, tree: made.value.tree })
    }
    const after = made.value.commit
    const before = from.kind === 'create' ? null : from.expected
    const pushed = await push(id, directory, { branch, before, after })
    if (!pushed.ok) return pushed
    await store.note(directory, after)
    return ok({ branch, commit: after })
  }

  /** What a request without a good answer did is looked up: a commit on the parent with this tree is the requested one. */
  async function placeOnHost(
    place: CommitOnHost,
    id: RepositoryId,
    request: CommitRequest,
    { parent, tree }: { readonly parent: ObjectId; readonly tree: ObjectId },
  ): Promise<Result<Head, GitFailure>> {
    const { branch, from } = request
    const placed = await place(id, request)
    if (placed.ok) return ok({ branch, commit: placed.value })
    const { failure, hasMadeBranch } = placed.error
    const tips = await branchesOf(id)
    if (!tips.ok) return err(failure)
    const tip = ObjectId.parse(tips.value.get(branch))
    if (tip === undefined) {
      const by = blockerOf(tips.value, branch)
      if (by !== undefined) return err({ kind: 'git_branch_blocked', branch, by })
      return err(from.kind === 'create' ? failure : { kind: 'git_not_found', what: 'branch' })
    }
    const directory = await store.withCommits(id, { commits: [tip] })
    if (!directory.ok) return err(failure)
    if (tip === parent && hasMadeBranch) {
      await push(id, directory.value, { branch, before: tip, after: null })
      return err(failure)
    }
    const isLost = failure.kind === 'git_host_unreachable' || failure.kind === 'git_host_timeout'
    if (tip === parent && (from.kind === 'advance' || isLost)) return err(failure)
    const names = [`${tip}^{tree}`, `${tip}^1`]
    const found = await resolveObjects(directory.value, names)
    if (found.ok && found.value[0]?.id === tree && found.value[1]?.id === parent) {
      return ok({ branch, commit: tip })
    }
    return err({ kind: from.kind === 'create' ? 'git_branch_exists' : 'git_conflict', branch })
  }

  async function* read(
    id: RepositoryId,
    at: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
  ): AsyncGenerator<Result<FileContent, GitFailure>, void, void> {
    const complete = await remote.requireComplete(id)
    if (!complete.ok) return yield complete
    const since = performance.now()
    let wanted = files
    for (let isLast = false; ; isLast = true) {
      const directory = await store.withCommits(id, { commits: [at] })
      if (!directory.ok) return yield directory
      const damaged: FileToRead[] = []
      const seen = new Set<string>()
      let failure: GitFailure | undefined
      for await (const content of readFiles(directory.value, at, wanted, maxBytes)) {
        if (content.ok) {
          seen.add(content.value.path)
          yield content
        } else if (content.error.kind === 'git_file_unreadable') {
          const { path } = content.error
          damaged.push(...wanted.filter((file) => file.path === path))
        } else failure = content.error
      }
      const isDamaged = damaged.length > 0 || (failure !== undefined && mayBeDamage(failure))
      if (isDamaged && !isLast && (await renew(id, since))) {
        wanted = wanted.filter(({ path }) => !seen.has(path))
        continue
      }
      for (const { path } of damaged) yield err({ kind: 'git_file_unreadable', path })
      if (failure !== undefined) yield err(failure)
      return
    }
  }

  const content: GitContent = {
    head: (id, branch) => remote.head(id, branch),
    async listBranches(id, prefix) {
      const complete = await remote.requireComplete(id)
      if (!complete.ok) return complete
      const tips = await branchesOf(id)
      if (!tips.ok) return tips
      const names = [...tips.value.keys()]
        .filter((name) => name.startsWith(prefix))
        .flatMap((name) => BranchName.parse(name) ?? [])
      return ok(names.toSorted((one, other) => (one < other ? -1 : 1)).slice(0, BRANCHES_MAX))
    },
    listFiles: (id, at) =>
      reading(id, { commits: [at.commit] }, async (directory) => {
        const listed = await listFiles(directory, at)
        const isCut = listed.ok
          ? listed.value.skipped.some(({ reason }) => reason === TOO_MANY)
          : listed.error.kind === 'git_host_error'
        return isCut && !(await isWhole(directory, at.commit)) ? err(DAMAGED) : listed
      }),
    readFiles: read,
    listCommits: (id, range) =>
      reading(
        id,
        { commits: [range.of, ...(range.without ? [range.without] : [])], history: true },
        (directory) => listCommits(directory, range),
      ),
    merge: (id, sides) =>
      reading(id, { commits: [sides.ours, sides.theirs], history: true }, (directory) =>
        merge(directory, sides),
      ),
    commit,
    async removeBranch(id, { branch, commit: before }) {
      const complete = await remote.requireComplete(id)
      if (!complete.ok) return complete
      const directory = await store.locate(id)
      return directory.ok ? push(id, directory.value, { branch, before, after: null }) : directory
    },
  }

  return {
    content,
    listRemoteRefs,
    async placeRoot(id, { branch, before, files, message, author, at }) {
      const directory = await store.locate(id)
      if (!directory.ok) return directory
      const request = { parent: null, changes: files, message, author, at, signing }
      const made = await importCommit(directory.value, request)
      if (!made.ok) return made
      const after = made.value.commit
      const pushed = await push(id, directory.value, { branch, before, after })
      if (!pushed.ok) return pushed
      await store.note(directory.value, after)
      return ok({ branch, commit: after })
    },
  }
}

const HEADS = 'refs/heads/'
const TOO_MANY = 'too_many_files'
const DAMAGED = hostError('objects of the commit are missing in the mirror')

/** Whether the mirror has every object of a commit: a listing with a bound leaves out what it cannot read. */
async function isWhole(directory: string, commit: ObjectId): Promise<boolean> {
  const walked = await runGit(directory, ['rev-list', '--objects', '--no-walk', '--quiet', commit])
  return !walked.ok || walked.value.code === 0
}

/** Refs are files: `a` is in the way of `a/b`, and the other way round. */
const blockerOf = (tips: RemoteRefs, branch: BranchName): string | undefined =>
  [...tips.keys()].find((name) => branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`))

const NO_REPOSITORY = '/nonexistent'

/** Failures that say nothing about the mirror: of the input, of a limit, of objects as the host has them, and of the host itself. */
const SOUND =
  /two changes claim|too much output|too many files|fsck error|sent more than|answered with|push was refused|does not start|no folder for mirrors/

/** Whether another mirror may do better. */
const mayBeDamage = (failure: GitFailure): boolean =>
  failure.kind === 'git_host_error' && !SOUND.test(failure.reason)

/** Failures of a push after which its effect may exist. */
const isUncertain = ({ kind }: GitFailure): boolean =>
  kind === 'git_host_unreachable' || kind === 'git_host_timeout' || kind === 'git_host_error'
