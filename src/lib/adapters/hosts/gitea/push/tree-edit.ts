import type { ObjectId } from '../../../../names.ts'
import type { FileChange, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import {
  blobObject,
  MODE_EXECUTABLE,
  MODE_FILE,
  MODE_TREE,
  treeObject,
  type GitObject,
  type TreeEntry,
} from '../../hosted/objects/git-objects.ts'

export interface EditedTree {
  readonly tree: ObjectId
  /** New objects: blobs and trees, the root's tree first. */
  readonly objects: readonly GitObject[]
}

/** The entries of an existing tree. They must encode to exactly this tree, since the edited tree is made of them. */
export type ReadEntries = (tree: ObjectId) => Promise<Result<readonly TreeEntry[], GitFailure>>

type Edit = FileChange | Folder
interface Folder {
  readonly kind: 'folder'
  readonly edits: Map<string, Edit>
}

/**
 * Applies changes to a tree. A file replaces a directory of its name, and the other way round; deleting a path that does not
 * exist has no effect; directories without entries vanish.
 */
export async function editTree(
  base: readonly TreeEntry[],
  changes: readonly FileChange[],
  readEntries: ReadEntries,
): Promise<Result<EditedTree, GitFailure>> {
  const root: Folder = { kind: 'folder', edits: new Map() }
  for (const change of changes) {
    if (!plan(root, change)) {
      return err({
        kind: 'git_host_error',
        reason: `two changes claim ${change.path}`,
      })
    }
  }
  return editFolder(base, root, readEntries)
}

/** Fails for a second change of a path, and for a change below a changed file. */
function plan(root: Folder, change: FileChange): boolean {
  const names = change.path.split('/')
  const last = names.pop() ?? ''
  let folder = root
  for (const name of names) {
    const edit = folder.edits.get(name) ?? {
      kind: 'folder',
      edits: new Map<string, Edit>(),
    }
    if (edit.kind !== 'folder') return false
    folder.edits.set(name, edit)
    folder = edit
  }
  if (folder.edits.has(last)) return false
  folder.edits.set(last, change)
  return true
}

async function editFolder(
  base: readonly TreeEntry[],
  { edits }: Folder,
  readEntries: ReadEntries,
): Promise<Result<EditedTree, GitFailure>> {
  const entries = new Map(base.map((entry) => [entry.name, entry]))
  const objects: GitObject[] = []
  for (const [name, edit] of edits) {
    const before = entries.get(name)
    if (edit.kind === 'delete') {
      entries.delete(name)
    } else if (edit.kind === 'write') {
      const blob = blobObject(edit.bytes)
      objects.push(blob)
      const mode = edit.executable === true ? MODE_EXECUTABLE : MODE_FILE
      entries.set(name, { mode, name, id: blob.id })
    } else {
      const isFolder = before?.mode === MODE_TREE
      if (!isFolder && !hasWrites(edit)) continue
      const inside = isFolder ? await readEntries(before.id) : ok([])
      if (!inside.ok) return inside
      const edited = await editFolder(inside.value, edit, readEntries)
      if (!edited.ok) return edited
      objects.push(...edited.value.objects)
      if (edited.value.tree === EMPTY_TREE) entries.delete(name)
      else entries.set(name, { mode: MODE_TREE, name, id: edited.value.tree })
    }
  }
  const tree = treeObject([...entries.values()])
  return ok({ tree: tree.id, objects: [tree, ...objects] })
}

const EMPTY_TREE = treeObject([]).id

const hasWrites = ({ edits }: Folder): boolean =>
  edits
    .values()
    .some((edit) => edit.kind === 'write' || (edit.kind === 'folder' && hasWrites(edit)))
