import { ObjectId, RepositoryPath } from '../../../names.ts'
import type {
  FileContent,
  FileListing,
  FileToRead,
  GitFailure,
  ListedFile,
  SkippedFile,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { complaintOf, hostError, tryStart } from './git.ts'
import { readBlobs, resolveObjects } from './objects.ts'
import { createTimeSlice, visitInSlices } from '../../../time-slice.ts'

/** Paths per process when looking some up by name: an argument list has a length. */
const LOOKUP_PATHS_MAX = 500

/** One process for a folder; the tree of the whole repository is asked for beside it, since no listing names it. */
export async function listFiles(
  directory: string,
  at: { readonly commit: ObjectId; readonly directory?: RepositoryPath },
): Promise<Result<FileListing, GitFailure>> {
  const only = at.directory === undefined ? [] : ['--', at.directory]
  const [root, entries] = await Promise.all([
    at.directory === undefined ? treeOf(directory, at.commit) : ok(null),
    collect(listTree(directory, ['-r', '-t', `${at.commit}^{commit}`, ...only])),
  ])
  if (!entries.ok) return (await isCommit(directory, at.commit)) ? entries : err(NO_COMMIT)
  if (!root.ok) return root
  const folder = entries.value.find(({ type, path }) => type === 'tree' && path === at.directory)
  const tree = root.value ?? ObjectId.parse(folder?.id) ?? null
  if (tree === null) return ok({ tree, files: [], skipped: [] })

  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  await visitInSlices(entries.value, createTimeSlice(), (entry) => {
    if (entry.type === 'tree') return
    const item = toItem(entry, entry.path)
    if ('reason' in item) skipped.push(item)
    else files.push(item)
  })
  return ok({ tree, files, skipped })
}

const NO_COMMIT = { kind: 'git_not_found', what: 'commit' } as const

async function treeOf(
  directory: string,
  commit: ObjectId,
): Promise<Result<ObjectId | null, GitFailure>> {
  const found = await resolveObjects(directory, [`${commit}^{tree}`])
  return found.ok ? ok(found.value[0]?.id ?? null) : found
}

/** Asked when a listing failed: an id of nothing, or of something else, is the caller's mistake and not the host's. */
async function isCommit(directory: string, commit: ObjectId): Promise<boolean> {
  const found = await resolveObjects(directory, [`${commit}^{commit}`])
  return !found.ok || found.value[0] !== null
}

export async function* readFiles(
  directory: string,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<Result<FileContent, GitFailure>, void, void> {
  const pause = createTimeSlice()
  const wanted = new Map<RepositoryPath, ObjectId | undefined>()
  const unknown: RepositoryPath[] = []
  await visitInSlices(files, pause, ({ path, blob }) => {
    if (wanted.has(path)) return
    if (blob === undefined) unknown.push(path)
    wanted.set(path, blob)
  })
  if (wanted.size === 0) return
  // Who knows every blob from a listing has had the commit looked up.
  if (unknown.length > 0) {
    const found = await resolveObjects(directory, [`${commit}^{commit}`])
    if (!found.ok) return yield found
    if (found.value[0] === null) return yield err(NO_COMMIT)
  }
  for (let start = 0; start < unknown.length; start += LOOKUP_PATHS_MAX) {
    const some = unknown.slice(start, start + LOOKUP_PATHS_MAX)
    for await (const listed of listTree(directory, [commit, '--', ...some])) {
      if (!listed.ok) return yield listed
      for (const entry of listed.value) {
        const item = toItem(entry, entry.path)
        if (!('reason' in item) && entry.type === 'blob') wanted.set(item.path, item.blob)
      }
    }
  }

  const paths: RepositoryPath[] = []
  const blobs: ObjectId[] = []
  await visitInSlices(wanted, pause, ([path, blob]) => {
    if (blob === undefined) return
    paths.push(path)
    blobs.push(blob)
  })
  for await (const read of readBlobs(directory, blobs, maxBytes)) {
    if (!read.ok) return yield read
    const { index, bytes } = read.value
    const [path, blob] = [paths[index], blobs[index]]
    if (path !== undefined && blob !== undefined) yield ok({ path, blob, bytes })
  }
  if (paths.length < wanted.size) yield err({ kind: 'git_not_found', what: 'file' })
}

interface TreeEntry {
  readonly mode: string
  readonly type: string
  readonly id: string
  readonly path: string
}

async function collect<Item>(
  portions: AsyncIterable<Result<readonly Item[], GitFailure>>,
): Promise<Result<readonly Item[], GitFailure>> {
  const all: (readonly Item[])[] = []
  for await (const portion of portions) {
    if (!portion.ok) return portion
    all.push(portion.value)
  }
  return ok(all.flat())
}

/** In portions, as git tells them: a turn for each of ten thousand entries would cost more than reading them. */
async function* listTree(
  directory: string,
  what: readonly string[],
): AsyncGenerator<Result<readonly TreeEntry[], GitFailure>, void, void> {
  const args = ['ls-tree', '-z', '--full-tree', ...what]
  const running = tryStart([`--git-dir=${directory}`, ...args], 'ignore')
  if (!running.ok) return yield running
  const { child, complaint, ranOutOfTime, stop } = running.value
  try {
    const pause = createTimeSlice()
    const decoder = new TextDecoder()
    let rest = ''
    for await (const part of child.stdout) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\0')
      rest = lines.pop() ?? ''
      const entries: TreeEntry[] = []
      for (const line of lines) {
        const entry = parseEntry(line)
        if (entry === undefined) return yield err(hostError(`git ls-tree answered ${line}`))
        entries.push(entry)
      }
      yield ok(entries)
      await pause()
    }
    rest += decoder.decode()
    const [code, stderr] = await Promise.all([child.exited, complaint])
    if (ranOutOfTime()) return yield err({ kind: 'git_host_timeout' })
    if (code !== 0 || rest !== '') yield err(complaintOf(args, { code, stderr }))
  } finally {
    stop()
  }
}

function parseEntry(line: string): TreeEntry | undefined {
  const tab = line.indexOf('\t')
  const [mode, type, id] = line.slice(0, tab).split(' ')
  if (mode === undefined || type === undefined || id === undefined) return
  return { mode, type, id, path: line.slice(tab + 1) }
}

function toItem({ mode, id }: TreeEntry, rawPath: string): ListedFile | SkippedFile {
  if (mode === '120000') return { rawPath, reason: 'symbolic_link' }
  if (mode === '160000') return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  const blob = ObjectId.parse(id)
  if (path === undefined || blob === undefined) return { rawPath, reason: 'unsafe_path' }
  return { path, blob, executable: mode === '100755' }
}
