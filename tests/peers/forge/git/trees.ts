import type { BareRepository } from './bare-repository.ts'

export interface TreeEntry {
  /** Below the tree that was listed. */
  readonly path: string
  /** Six digits. */
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly id: string
  readonly size?: number
}

/** `null` deletes the path. */
export interface TreeChange {
  readonly path: string
  readonly entry: { readonly mode: string; readonly id: string } | null
}

const TREE = '040000'
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Listings by repository, tree and depth: they never change. */
const listings = new Map<string, Promise<readonly TreeEntry[]>>()

/** Entries of a tree with their sizes, in git's order; `isRecursive` with the trees below, each before its entries. */
export async function listTree(
  repository: BareRepository,
  tree: string,
  isRecursive: boolean,
): Promise<readonly TreeEntry[]> {
  const key = `${tree} ${isRecursive}`
  const known = listings.get(key)
  if (known !== undefined) return await known
  const options = isRecursive ? ['-r', '-t'] : []
  const listing = repository.git(['ls-tree', '-z', '-l', ...options, tree]).then(parseListing)
  listings.set(key, listing)
  return await listing
}

function parseListing(output: Buffer): readonly TreeEntry[] {
  const lines = output.toString('utf8').split('\0').slice(0, -1)
  return lines.map((line) => {
    const [mode = '', type = '', id = '', size = '-'] = line
      .slice(0, line.indexOf('\t'))
      .split(/ +/)
    return {
      path: line.slice(line.indexOf('\t') + 1),
      mode,
      type: type as TreeEntry['type'],
      id,
      ...(size !== '-' && { size: Number(size) }),
    }
  })
}

/** A change that takes away what is not there. */
class MissingPath extends Error {}

interface Node {
  mode: string
  id: string
}

/** Id of the tree that the changes make of `base`, which `null` leaves empty. */
export async function changeTree(
  repository: BareRepository,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string> {
  const nodes = base === null ? new Map<string, Node>() : await readTree(repository, base)
  const below = new Map<string, TreeChange[]>()
  for (const { path, entry } of changes) {
    const slash = path.indexOf('/')
    if (slash < 0) {
      if (entry !== null) nodes.set(path, { ...entry })
      else if (!nodes.delete(path)) throw new MissingPath(path)
      continue
    }
    const inner = { path: path.slice(slash + 1), entry }
    const name = path.slice(0, slash)
    below.set(name, [...(below.get(name) ?? []), inner])
  }
  for (const [name, inner] of below) {
    const node = nodes.get(name)
    const id = await changeTree(repository, node?.mode === TREE ? node.id : null, inner)
    if (id === EMPTY_TREE) nodes.delete(name)
    else nodes.set(name, { mode: TREE, id })
  }
  return await writeTree(repository, nodes)
}

async function readTree(repository: BareRepository, tree: string): Promise<Map<string, Node>> {
  const bytes = Buffer.from((await repository.readAs(tree, 'tree')) ?? [])
  const nodes = new Map<string, Node>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    const mode = bytes.toString('latin1', at, space).padStart(6, '0')
    const id = bytes.toString('hex', end + 1, end + 21)
    nodes.set(bytes.toString('utf8', space + 1, end), { mode, id })
    at = end + 21
  }
  return nodes
}

async function writeTree(
  repository: BareRepository,
  nodes: ReadonlyMap<string, Node>,
): Promise<string> {
  const entries = [...nodes].map(([name, { mode, id }]) => ({
    // Git sorts a tree as if its name ended in a slash.
    order: Buffer.from(mode === TREE ? `${name}/` : name),
    bytes: Buffer.concat([
      Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`),
      Buffer.from(id, 'hex'),
    ]),
  }))
  entries.sort((a, b) => Buffer.compare(a.order, b.order))
  return await repository.write('tree', Buffer.concat(entries.map(({ bytes }) => bytes)))
}
