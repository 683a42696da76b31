import { ObjectId, type RepositoryId, RepositoryPath, BranchName } from '../../../names.ts'
import type { Commit, GitAnswer } from '../../../ports/git-host.ts'
import { allOk, err, ok } from '../../../result.ts'
import {
  authorNameOf,
  commitTimeOf,
  listCommits,
  listHistory,
  missingCommitOr,
} from '../../../git/log.ts'
import { readSettings } from './repository-settings.ts'
import type {
  About,
  Browse,
  Changes,
  Folder,
  FolderItem,
  Tip,
  Tips,
} from '../../../ports/forge/browse.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { hostError, gitText } from '../../../git/git.ts'
import { findEntries, isFolder, readTrees, sizesOf, type TreeEntry } from '../../../git/trees.ts'
import { diffRange, readChangedFiles, readDiff } from './diff.ts'

/** Makes a method of the host from its work in the directory of a repository. */
type InDirectory = <Args extends readonly unknown[], Value>(
  work: (directory: string, ...args: Args) => GitAnswer<Value>,
) => (id: RepositoryId, ...args: Args) => GitAnswer<Value>

export const createBrowse = (inDirectory: InDirectory): Browse => ({
  about: inDirectory(readAbout),
  tips: inDirectory(readTips),
  item: inDirectory(findItem),
  folder: inDirectory(readFolder),
  history: inDirectory(listHistory),
  commit: inDirectory(readCommit),
  changes: inDirectory(readChanges),
})

async function readAbout(directory: string): GitAnswer<About> {
  const settings = await readSettings(directory)
  if (!settings.ok) return settings
  const { description, team } = settings.value
  return ok({ description: description ?? '', team })
}

async function readCommit(directory: string, id: ObjectId): GitAnswer<Commit> {
  const found = await listCommits(directory, { of: id, limit: 1 })
  if (!found.ok) return found
  const [commit] = found.value
  return commit?.id === id ? ok(commit) : err({ kind: 'git_not_found', what: 'commit' })
}

/** Bytes of the names in a folder and of the facts beside each: about ten thousand items. */
const FOLDER_BYTES_MAX = 1024 * 1024
const ITEM_BYTES = 60

async function findItem(
  directory: string,
  { commit, path }: Parameters<Browse['item']>[1],
): GitAnswer<FolderItem | null> {
  const found = await findEntries(directory, commit, [path])
  if (!found.ok) return found
  const entry = found.value.get(path)
  if (entry === undefined) return ok(null)
  const sizes = await sizesOf(directory, [entry])
  return sizes.ok ? ok(toItem(entry, sizes.value[0] ?? null, path.split('/').slice(0, -1))) : sizes
}

async function readFolder(
  directory: string,
  { commit, path }: Parameters<Browse['folder']>[1],
): GitAnswer<Folder> {
  const found = await findEntries(directory, commit, [path ?? ''])
  if (!found.ok) return found
  const folder = found.value.get(path ?? '')
  if (folder === undefined || !isFolder(folder)) return err({ kind: 'git_not_found', what: 'file' })
  const read = await readTrees(directory, [folder.id], createTimeSlice())
  if (!read.ok) return read
  const tree = read.value.trees.get(folder.id)
  if (tree === undefined) return err(hostError(`the tree ${folder.id} cannot be read`))
  let bytes = 0
  const shown = tree.filter((entry) => (bytes += entry.path.length + ITEM_BYTES) < FOLDER_BYTES_MAX)
  const sizes = await sizesOf(directory, shown)
  if (!sizes.ok) return sizes
  const above = path === null ? [] : path.split('/')
  const items = shown.map((entry, index) => toItem(entry, sizes.value[index] ?? null, above))
  const [folders, others] = [true, false].map((isWanted) =>
    items.filter(({ kind }) => (kind === 'folder') === isWanted),
  )
  return ok({
    items: [...(folders ?? []), ...(others ?? [])],
    isCut: shown.length < tree.length,
  })
}

function toItem(entry: TreeEntry, sizeBytes: number | null, above: readonly string[]): FolderItem {
  const { path } = entry
  const rawName = path.slice(path.lastIndexOf('/') + 1)
  return {
    kind: kindOf(entry),
    rawName,
    path: RepositoryPath.parse([...above, rawName].join('/')) ?? null,
    sizeBytes,
  }
}

function kindOf(entry: TreeEntry): FolderItem['kind'] {
  const { mode } = entry
  if (isFolder(entry)) return 'folder'
  if (mode === '120000') return 'symbolic_link'
  return mode === '160000' ? 'submodule' : 'file'
}

const TIPS_MAX = 500
/** Only the subject is free text, and git writes it as one line. */
const FIELDS = ['HEAD', 'objectname', 'refname', 'committerdate:unix', 'authorname', 'subject']
const FORMAT = FIELDS.map((field) => `%(${field})`).join('%00')
const HEADS = 'refs/heads/'

async function readTips(directory: string): GitAnswer<Tips> {
  const args = ['for-each-ref', '--sort=-committerdate', `--format=${FORMAT}`, 'refs/heads']
  const text = await gitText(directory, args)
  if (!text.ok) return text
  const lines = text.value.split('\n').slice(0, -1)
  const tips = lines.flatMap((line) => parseTip(line) ?? []).slice(0, TIPS_MAX)
  return ok({ tips, leftOut: lines.length - tips.length })
}

function parseTip(line: string): Tip | undefined {
  const [mark, id, ref = '', seconds = '', author, subject = ''] = line.split('\0')
  const commit = ObjectId.parse(id)
  const branch = BranchName.parse(ref.slice(HEADS.length))
  if (commit === undefined || branch === undefined) return undefined
  return {
    branch,
    isDefault: mark === '*',
    commit,
    subject,
    authorName: authorNameOf(author),
    committedAt: /^\d+$/.test(seconds) ? commitTimeOf(Number(seconds) * 1_000) : null,
  }
}

async function readChanges(
  directory: string,
  { base, head }: Parameters<Browse['changes']>[1],
): GitAnswer<Changes> {
  const range = await diffRange(directory, base, head)
  if (!range.ok) return missingCommitOr(range, directory, base === null ? [head] : [base, head])
  const read = await allOk([
    readChangedFiles(directory, range.value),
    readDiff(directory, range.value),
  ])
  if (!read.ok) return read
  const [files, diff] = read.value
  return ok({ files, diff })
}
