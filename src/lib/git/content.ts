import { createTimeSlice } from '../concurrency/time-slice.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../names.ts'
import type {
  ChangedPath,
  FileContent,
  FileToRead,
  FoundLine,
  GitAnswer,
  GitResult,
  TextSearch,
  TreeChange,
} from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { complaintOf, gitText, runGit } from './git.ts'
import { merge } from './history.ts'
import { listFiles } from './listing.ts'
import { listCommits, missingCommitOr } from './log.ts'
import { readBlobs } from './objects.ts'
import { findEntries, isFolder, toItem } from './trees.ts'

/** Commits that a read is about. */
export interface Needs {
  readonly commits: readonly ObjectId[]
  /** All ancestors too. */
  readonly history?: boolean
}

/** Work in the directory of a repository, once it has what the work needs. */
export type Reading = <Value>(
  id: RepositoryId,
  needs: Needs,
  work: (directory: string) => GitAnswer<Value>,
) => GitAnswer<Value>

/** The reads that the embedded host and the mirrors of others share. */
export function contentReads(reading: Reading) {
  const read =
    <Asked, Value>(
      work: (directory: string, asked: Asked) => GitAnswer<Value>,
      needsOf: (asked: Asked) => Needs,
    ) =>
    (id: RepositoryId, asked: Asked): GitAnswer<Value> =>
      reading(id, needsOf(asked), (directory) => work(directory, asked))
  return {
    listFiles: read(listFiles, ({ commit }) => ({ commits: [commit] })),
    listChanges: read(listChanges, ({ from, to }) => ({ commits: [from, to] })),
    searchFiles: read(searchFiles, ({ commit }) => ({ commits: [commit] })),
    listCommits: read(listCommits, ({ of, without }) => ({
      commits: without === undefined ? [of] : [of, without],
      history: true,
    })),
    merge: read(merge, ({ ours, theirs }) => ({ commits: [ours, theirs], history: true })),
  }
}

export async function* readFiles(
  directory: string,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<GitResult<FileContent>, void, void> {
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]))
  const unlisted = [...blobs].flatMap(([path, blob]) => (blob === undefined ? [path] : []))
  if (unlisted.length > 0) {
    const entries = await findEntries(directory, commit, unlisted)
    if (!entries.ok) return yield entries
    for (const path of unlisted) {
      const entry = entries.value.get(path)
      if (entry === undefined || isFolder(entry)) continue
      const item = toItem(entry)
      if (!('reason' in item)) blobs.set(path, item.blob)
    }
  }

  const known = [...blobs].flatMap(([path, blob]) => (blob === undefined ? [] : [{ path, blob }]))
  const filesOf = Map.groupBy(known, ({ blob }) => blob)
  for await (const read of readBlobs(directory, [...filesOf.keys()], maxBytes)) {
    if (!read.ok) return yield read
    const content = read.value
    for (const { path, blob } of filesOf.get(content.id) ?? []) {
      yield content.kind === 'read'
        ? ok({ path, blob, bytes: content.bytes })
        : err({ kind: 'git_file_unreadable', path })
    }
  }
  if (known.length < blobs.size) yield err({ kind: 'git_not_found', what: 'file' })
}

const CHANGES: Readonly<Record<string, ChangedPath['change']>> = { A: 'added', D: 'removed' }

async function listChanges(
  directory: string,
  { from, to, directory: folder }: TreeChange,
): GitAnswer<readonly ChangedPath[]> {
  const options = ['-r', '-z', '--no-renames', '--name-status']
  const paths = folder === undefined ? [] : [folder]
  const text = await gitText(directory, ['diff-tree', ...options, from, to, '--', ...paths])
  if (!text.ok) return missingCommitOr(text, directory, [from, to])
  // A letter, then its path.
  const fields = text.value.split('\0')
  const changes: ChangedPath[] = []
  const pause = createTimeSlice()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    await pause()
    const [letter = '', rawPath = ''] = fields.slice(at, at + 2)
    changes.push({ rawPath, change: CHANGES[letter] ?? 'modified' })
  }
  return ok(changes)
}

const SEARCH_DEADLINE_MS = 5_000
const SEARCH_BYTES_MAX = 4 * 1024 * 1024
const NOTHING_FOUND = 1

/** The first line of each file that has a text, as `git grep` finds it. */
async function searchFiles(
  directory: string,
  { commit, paths, text }: TextSearch,
): GitAnswer<readonly FoundLine[]> {
  // Without paths git would search everything.
  if (paths.length === 0) return ok([])
  const options = ['-I', '-i', '-n', '-z', '--basic-regexp', '--max-count=1', '--threads=1']
  const args = ['grep', ...options, '-e', patternOf(text), commit, '--', ...paths]
  const output = await runGit(directory, args, {
    deadlineMs: SEARCH_DEADLINE_MS,
    outputBytesMax: SEARCH_BYTES_MAX,
  })
  if (!output.ok) return output
  const { code, stdout, isTruncated } = output.value
  if (code > NOTHING_FOUND && !isTruncated) {
    return missingCommitOr(err(complaintOf(args, output.value)), directory, [commit])
  }
  return ok([...linesOf(stdout, commit)])
}

/** Git quotes a fixed string as `\Q…\E` of Perl: a `\E` in the text would end it, and the rest be a regular expression. */
const patternOf = (text: string): string => text.replaceAll(/[\\.[*^$]/g, String.raw`\$&`)

/** `<commit>:<path>\0<number>\0<line>\n` for each; a last one that is cut off is left out. */
function* linesOf(bytes: Buffer, commit: ObjectId): Generator<FoundLine, void, void> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start)
    if (end === -1) return
    const [place = '', number, ...line] = bytes.toString('utf8', start, end).split('\0')
    const path = RepositoryPath.parse(place.slice(commit.length + 1))
    if (path !== undefined) yield { path, line: Number(number), text: line.join('\0') }
  }
}
