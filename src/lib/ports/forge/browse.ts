import type { BranchName, ObjectId, RepositoryId, RepositoryPath } from '../../names.ts'
import type { Commit, GitAnswer } from '../git-host.ts'
import type { PathCommits } from '../git-host/commit.ts'
import type { ChangedFile } from './changed-file.ts'

/** A repository as people look at it in a browser. Every answer is bounded, and names and texts in it are input of users. */
export interface Browse {
  about(repository: RepositoryId): GitAnswer<About>

  /** Branches, the one with the newest commit first, at most five hundred. */
  tips(repository: RepositoryId): GitAnswer<Tips>

  /** The file or folder with this path. `null`: there is none. */
  item(
    repository: RepositoryId,
    at: { readonly commit: ObjectId; readonly path: RepositoryPath },
  ): GitAnswer<FolderItem | null>

  /** The items of a folder, by default of the top one, folders first. A path that is no folder is `git_not_found`. */
  folder(
    repository: RepositoryId,
    at: { readonly commit: ObjectId; readonly path: RepositoryPath | null },
  ): GitAnswer<Folder>

  /** A page of the commits of a branch, or of a path; newest first. */
  history(repository: RepositoryId, range: HistoryRange): GitAnswer<PathCommits>

  commit(repository: RepositoryId, id: ObjectId): GitAnswer<Commit>

  /** The changes of `head` since it left `base`, as its pull request would have them. Without a base everything is added. */
  changes(
    repository: RepositoryId,
    commits: { readonly base: ObjectId | null; readonly head: ObjectId },
  ): GitAnswer<Changes>
}

export interface About {
  /** Empty for a repository without one. */
  readonly description: string
  /** The team that it was made for; `null`: not known. */
  readonly team: string | null
}

export interface Tips {
  readonly tips: readonly Tip[]
  /** Branches that are left out: they have no `BranchName`, or there are too many. */
  readonly leftOut: number
}

export interface Tip {
  readonly branch: BranchName
  readonly isDefault: boolean
  readonly commit: ObjectId
  readonly subject: string
  readonly authorName: string | null
  /** Milliseconds since the Unix epoch; `null`: the commit has none. */
  readonly committedAt: number | null
}

export interface Folder {
  readonly items: readonly FolderItem[]
  /** It has more items than are read. */
  readonly isCut: boolean
}

export interface FolderItem {
  readonly kind: 'folder' | 'file' | 'symbolic_link' | 'submodule'
  readonly rawName: string
  /** From the top of the repository; `null`: it has an unusual name and cannot be opened. */
  readonly path: RepositoryPath | null
  /** `null` for what is not a file. */
  readonly sizeBytes: number | null
}

export interface HistoryRange {
  readonly of: ObjectId
  /** Leaves out what is in the history of this one. */
  readonly without?: ObjectId
  readonly path?: RepositoryPath
  readonly page?: number
}

export interface Changes {
  readonly files: readonly ChangedFile[]
  /** A unified diff; cut at a line end when it is too long. */
  readonly diff: { readonly text: string; readonly truncated: boolean }
}
