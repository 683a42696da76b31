import { ObjectId } from '../../../../names.ts'
import type { Author } from '../../../../ports/git-host.ts'
import { cleanAuthor, cleanMessage } from '../../../../git/commit-request.ts'

/** An object of a repository as git stores it, without its header and not compressed. */
export interface GitObject {
  readonly kind: 'blob' | 'tree' | 'commit'
  readonly id: ObjectId
  readonly content: Uint8Array
}

/** An entry of one directory. The mode is as in a tree: octal digits without a leading zero. */
export interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly id: ObjectId
}

export const MODE_TREE = '40000'
export const MODE_FILE = '100644'
export const MODE_EXECUTABLE = '100755'

export interface NewCommitObject {
  readonly tree: ObjectId
  readonly parents: readonly ObjectId[]
  readonly author: Author
  /** Milliseconds since the Unix epoch; of the author and of the committer. */
  readonly at: number
  /** Subject, empty line, body, trailers. */
  readonly message: string
}

function gitObject(kind: GitObject['kind'], content: Uint8Array): GitObject {
  const hash = new Bun.CryptoHasher('sha1').update(`${kind} ${content.length}\0`).update(content)
  return { kind, id: ObjectId.of(hash.digest('hex')), content }
}

export const blobObject = (content: Uint8Array): GitObject => gitObject('blob', content)

/** The tree of a directory. Entries in any order; git sorts a directory as if its name ended in a slash. */
export function treeObject(entries: readonly TreeEntry[]): GitObject {
  const parts = entries
    .map(({ mode, name, id }) => ({
      key: Buffer.from(mode === MODE_TREE ? `${name}/` : name),
      bytes: Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
    }))
    .toSorted((one, other) => Buffer.compare(one.key, other.key))
  return gitObject('tree', Buffer.concat(parts.map(({ bytes }) => bytes)))
}

export interface TreeFile {
  readonly path: string
  /** As in a tree. */
  readonly mode: string
  readonly id: ObjectId
}

/** Id of the tree that has exactly these files, at any depth. */
export function treeIdOf(files: readonly TreeFile[]): ObjectId {
  const entries: TreeEntry[] = []
  const folders = new Map<string, TreeFile[]>()
  for (const { path, mode, id } of files) {
    const slash = path.indexOf('/')
    if (slash < 0) {
      entries.push({ mode, name: path, id })
      continue
    }
    const name = path.slice(0, slash)
    const inside = folders.get(name) ?? []
    inside.push({ path: path.slice(slash + 1), mode, id })
    folders.set(name, inside)
  }
  for (const [name, inside] of folders) {
    entries.push({ mode: MODE_TREE, name, id: treeIdOf(inside) })
  }
  return treeObject(entries).id
}

export function commitObject({ tree, parents, author, at, message }: NewCommitObject): GitObject {
  const { name, email } = cleanAuthor(author)
  const who = `${name} <${email}> ${Math.floor(at / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    cleanMessage(message),
  ]
  return gitObject('commit', Buffer.from(lines.join('\n')))
}
