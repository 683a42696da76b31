import { type BranchName, ObjectId, type RepositoryId } from '../names.ts'
import type { Clock } from '../ports/clock.ts'
import {
  type CommitRequest,
  type FileContent,
  type FileToRead,
  type GitAnswer,
  type GitContent,
  type GitFailure,
  type GitResult,
  type Head,
  type NewRepository,
} from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { contentReads, type Needs, readFiles } from './content.ts'
import { importCommit } from './fast-import.ts'
import { hostError, runGit } from './git.ts'
import { listFiles } from './listing.ts'
import { createMirrorStore } from './mirror-store.ts'
import { resolveObjects } from './objects.ts'
import {
  type BranchMove,
  type CommitOnHost,
  obstacleOf,
  pushBranch,
  readHostBranches,
} from './mirror-push.ts'
import { type Branches, branchesIn, namesOf, TAG_REFS, tagsOf } from './refs.ts'
import type { Signing } from './signing.ts'
import { type Remote, type RemoteRefs, readRemoteRefs } from './remote.ts'

export interface MirrorOptions {
  readonly root: string
  readonly remote: Remote
  readonly clock: Clock
  /** `null`: commits are pushed. */
  readonly commitOnHost: CommitOnHost | null
  /** By default commits that are pushed are not signed. */
  readonly signing?: Signing | null
}

/** The first commit of a repository, on a branch that does not exist. */
interface RootCommit extends Pick<NewRepository, 'files' | 'message' | 'author'> {
  readonly branch: BranchName
  /** Milliseconds since the Unix epoch: a repetition with the same time makes the same commit. */
  readonly at: number
}

/** The content of the repositories of a git host, by git's own protocol and a mirror on this disk; `docs/decisions/git-engine.md`. */
export function createMirror({ root, remote, clock, commitOnHost, signing = null }: MirrorOptions) {
  const store = createMirrorStore(root, remote)

  /** Discards a damaged mirror, unless the host could not fill another one now. */
  async function renew(id: RepositoryId, since: number): Promise<boolean> {
    const tips = await readHostBranches(remote, id, NO_REPOSITORY)
    return tips.ok && tips.value.size > 0 && (await store.discard(id, since))
  }

  /** Work, once more with a new mirror when this one is damaged. */
  async function mending<Value>(id: RepositoryId, work: () => GitAnswer<Value>): GitAnswer<Value> {
    const since = performance.now()
    const outcome = await work()
    const isMendable = !outcome.ok && mayBeDamage(outcome.error)
    return isMendable && (await renew(id, since)) ? work() : outcome
  }

  /** A read at commits. */
  async function reading<Value>(
    id: RepositoryId,
    needs: Needs,
    work: (directory: string) => GitAnswer<Value>,
  ): GitAnswer<Value> {
    const complete = await remote.requireComplete(id)
    if (!complete.ok) return complete
    return mending(id, async () => {
      const directory = await store.withCommits(id, needs)
      return directory.ok ? work(directory.value) : directory
    })
  }

  /** Refs of a complete repository, as the host has them now. */
  async function refsOf(id: RepositoryId, pattern: string): GitAnswer<RemoteRefs> {
    const complete = await remote.requireComplete(id)
    const directory = complete.ok ? await store.locate(id) : complete
    return directory.ok ? readRemoteRefs(remote, id, directory.value, pattern) : directory
  }

  /** A complete repository has one branch at least: git takes a page in one line for a list without refs. */
  async function branchesOf(id: RepositoryId): GitAnswer<Branches> {
    const refs = await refsOf(id, 'refs/heads/*')
    if (!refs.ok) return refs
    return refs.value.size === 0
      ? err(hostError('the host names no branch'))
      : ok(branchesIn(refs.value))
  }

  const push = (id: RepositoryId, directory: string, move: BranchMove) =>
    pushBranch(remote, store, id, directory, move)

  async function place(
    id: RepositoryId,
    directory: string,
    move: BranchMove & { readonly after: ObjectId },
  ): GitAnswer<Head> {
    const { branch, after } = move
    const pushed = await push(id, directory, move)
    if (!pushed.ok) return pushed
    await store.note(directory, after)
    return ok({ branch, commit: after })
  }

  /** A branch that is not as requested is a better answer than that nothing has changed, or that its commit is not there. */
  async function refuse(
    id: RepositoryId,
    move: BranchMove,
    otherwise: GitFailure,
  ): GitAnswer<never> {
    const tips = await branchesOf(id)
    return tips.ok ? err(obstacleOf(tips.value, move) ?? otherwise) : tips
  }

  async function commit(id: RepositoryId, request: CommitRequest): GitAnswer<Head> {
    const { branch, from, changes, message, author } = request
    const writable = await remote.requireWritable(id)
    if (!writable.ok) return writable
    const parent = from.kind === 'advance' ? from.expected : from.parent
    const before = from.kind === 'create' ? null : from.expected
    const made = await mending(id, async () => {
      const located = await store.withCommits(id, { commits: [parent] })
      if (!located.ok) return located
      const commit = { parent, changes, message, author, at: clock.now(), signing }
      const imported = await importCommit(located.value, commit)
      return imported.ok ? ok({ ...imported.value, directory: located.value }) : imported
    })
    if (!made.ok) {
      const isMissing = made.error.kind === 'git_not_found' && made.error.what === 'commit'
      return isMissing ? refuse(id, { branch, before, after: parent }, made.error) : made
    }
    const { directory, commit: after } = made.value
    const move = { branch, before, after }
    if (made.value.tree === made.value.parentTree) {
      return refuse(id, move, { kind: 'git_nothing_to_commit' })
    }
    // The APIs of hosts know no executable files.
    const isPlain = changes.every(
      (change) => change.kind === 'delete' || change.executable !== true,
    )
    if (commitOnHost !== null && isPlain && from.kind !== 'replace') {
      return placeOnHost(commitOnHost, id, request, move, { parent, tree: made.value.tree })
    }
    return place(id, directory, move)
  }

  /** After a request without a good answer the branch is looked up: a commit on the parent with this tree is the requested one. */
  async function placeOnHost(
    make: CommitOnHost,
    id: RepositoryId,
    request: CommitRequest,
    move: BranchMove,
    { parent, tree }: { readonly parent: ObjectId; readonly tree: ObjectId },
  ): GitAnswer<Head> {
    const { branch, before } = move
    const placed = await make(id, request)
    if (placed.ok) return ok({ branch, commit: placed.value })
    const { failure, hasMadeBranch } = placed.error
    const tips = await branchesOf(id)
    if (!tips.ok) return err(failure)
    const otherwise = err(obstacleOf(tips.value, move) ?? failure)
    const tip = ObjectId.parse(tips.value.get(branch))
    if (tip === undefined || tip === before) return otherwise
    const directory = await store.withCommits(id, { commits: [tip] })
    if (!directory.ok) return err(failure)
    if (tip === parent && hasMadeBranch) {
      await push(id, directory.value, { branch, before: tip, after: null })
      return err(failure)
    }
    const isLost = failure.kind === 'git_host_unreachable' || failure.kind === 'git_host_timeout'
    if (tip === parent && isLost) return err(failure)
    const names = [`${tip}^{tree}`, `${tip}^1`]
    const found = await resolveObjects(directory.value, names)
    const isOurs = found.ok && found.value[0]?.id === tree && found.value[1]?.id === parent
    return isOurs ? ok({ branch, commit: tip }) : otherwise
  }

  /** Files that are damaged, or come after some damage, are read once more with a new mirror. */
  async function* read(
    id: RepositoryId,
    at: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
    mayRenew = true,
  ): AsyncGenerator<GitResult<FileContent>, void, void> {
    const complete = await remote.requireComplete(id)
    if (!complete.ok) return yield complete
    const since = performance.now()
    const directory = await store.withCommits(id, { commits: [at] })
    if (!directory.ok) return yield directory
    const seen = new Set<string>()
    const failed: GitFailure[] = []
    for await (const content of readFiles(directory.value, at, files, maxBytes)) {
      if (content.ok) seen.add(content.value.path)
      else failed.push(content.error)
      if (content.ok) yield content
    }
    if (mayRenew && failed.some(mayBeDamage) && (await renew(id, since))) {
      const left = files.filter(({ path }) => !seen.has(path))
      yield* read(id, at, left, maxBytes, false)
    } else yield* failed.map(err)
  }

  const content: GitContent = {
    head: (id, branch) => remote.head(id, branch),
    async listBranches(id, prefix) {
      const tips = await branchesOf(id)
      return tips.ok ? ok(namesOf(tips.value, prefix)) : tips
    },
    async listTags(id) {
      const refs = await refsOf(id, `${TAG_REFS}*`)
      return refs.ok ? ok(tagsOf(refs.value)) : refs
    },
    ...contentReads(reading),
    listFiles: (id, at) =>
      reading(id, { commits: [at.commit] }, async (directory) => {
        const listed = await listFiles(directory, at)
        const isCut = listed.ok
          ? listed.value.skipped.some(({ reason }) => reason === TOO_MANY)
          : listed.error.kind === 'git_host_error'
        return isCut && !(await isWhole(directory, at.commit)) ? err(DAMAGED) : listed
      }),
    readFiles: read,
    commit,
  }

  return {
    content,
    /** Also in a repository that is being made. */
    async placeRoot(
      id: RepositoryId,
      { branch, files, message, author, at }: RootCommit,
    ): GitAnswer<Head> {
      const directory = await store.locate(id)
      if (!directory.ok) return directory
      const request = { parent: null, changes: files, message, author, at, signing }
      const made = await importCommit(directory.value, request)
      if (!made.ok) return made
      return place(id, directory.value, { branch, before: null, after: made.value.commit })
    },
  }
}

const TOO_MANY = 'too_many_files'
const DAMAGED = hostError('objects of the commit are missing in the mirror')

/** Whether the mirror has every object of a commit: a listing with a bound leaves out what it cannot read. */
async function isWhole(directory: string, commit: ObjectId): Promise<boolean> {
  const walked = await runGit(directory, ['rev-list', '--objects', '--no-walk', '--quiet', commit])
  return !walked.ok || walked.value.code === 0
}

const NO_REPOSITORY = '/nonexistent'

/** Failures that say nothing about the mirror: of the input, of a limit, of objects as the host has them, and of the host itself. */
const SOUND =
  /two changes claim|too much output|too many files|fsck error|sent more than|answered with|push was refused|does not start|no folder for mirrors/

/** Whether another mirror may do better. */
const mayBeDamage = (failure: GitFailure): boolean =>
  failure.kind === 'git_file_unreadable' ||
  (failure.kind === 'git_host_error' && !SOUND.test(failure.reason))
