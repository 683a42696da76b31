import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import {
  changeTree,
  listTree,
  MissingPath,
  type TreeChange,
  type TreeEntry,
} from '#tests/peers/forge/git/trees.ts'
import { notFound, Refusal, unprocessable } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import type { Repository } from '../state.ts'
import { gitUrlOf, isId } from './git-url.ts'
import { refuseEmpty } from './refs.ts'
import { mayDo } from '../rights.ts'

/** A tree by its own id, or by that of a commit or the name of a branch. */
async function resolveTree({ git }: Repository, text: string): Promise<string | null> {
  const id = (await git.reference(`refs/heads/${text}`)) ?? text
  const object = await git.read(id)
  if (object === null) return null
  return object.type === 'tree' ? id : ((await readCommit(git, id))?.tree ?? null)
}

const showEntry = (base: string, { path, mode, type, id, size }: TreeEntry) => ({
  path,
  mode,
  type,
  sha: id,
  ...(size !== undefined && { size }),
  ...(type !== 'commit' && { url: `${base}/${type}s/${id}` }),
})

export async function getTree(call: RepositoryCall): Promise<Answer> {
  const { repository, links, parameters, query, behaviour } = call
  await refuseEmpty(repository)
  const id = await resolveTree(repository, parameters['tree_sha'] ?? '')
  if (id === null) throw notFound()
  // Any value makes it recursive, as the documentation says.
  const isRecursive = query.has('recursive')
  const entries = await listTree(repository.git, id, isRecursive)
  const isTruncated = isRecursive && entries.length > behaviour.treeEntriesMax
  const base = gitUrlOf(links, repository)
  const shown = isTruncated ? entries.slice(0, behaviour.treeEntriesMax) : entries
  return {
    status: 200,
    body: {
      sha: id,
      url: `${base}/trees/${id}`,
      tree: shown.map((entry) => showEntry(base, entry)),
      truncated: isTruncated,
    },
  }
}

interface NewEntry {
  readonly path: string
  readonly mode?: string
  readonly type?: string
  readonly sha?: string | null
  readonly content?: string
}

export async function createTree(call: RepositoryCall): Promise<Answer> {
  const { repository, links } = call
  await refuseEmpty(repository)
  const body = call.body as { readonly tree: readonly NewEntry[]; readonly base_tree?: string }
  const { git } = repository
  // A commit is no tree here.
  if (body.base_tree !== undefined && (await git.readAs(body.base_tree, 'tree')) === null)
    throw notFound()
  if (body.tree.length === 0) throw unprocessable('Invalid tree info')
  const changes: TreeChange[] = []
  for (const [index, entry] of body.tree.entries())
    changes.push({ path: entry.path, entry: await resolveEntry(call, index, entry) })
  try {
    const id = await changeTree(git, body.base_tree ?? null, changes)
    const base = gitUrlOf(links, repository)
    const entries = await listTree(git, id, false)
    const url = `${base}/trees/${id}`
    const tree = entries.map((entry) => showEntry(base, entry))
    return {
      status: 201,
      headers: { location: url },
      body: { sha: id, url, tree, truncated: false },
    }
  } catch (error) {
    if (error instanceof MissingPath) throw unprocessable('GitRPC::BadObjectState')
    throw error
  }
}

const MODES = ['100644', '100755', '040000', '160000', '120000']

async function resolveEntry(
  { repository, credential }: RepositoryCall,
  index: number,
  { path, mode = '', sha, content }: NewEntry,
): Promise<TreeChange['entry']> {
  const segments = path.split('/')
  if (
    segments.some((each) => each === '' || each === '.' || each === '..' || /^\.git$/i.test(each))
  )
    throw unprocessable('tree.path contains a malformed path component')
  if (path.startsWith('.github/workflows/') && !mayDo(credential, 'workflows', 'write'))
    throw new Refusal(403, 'Resource not accessible by integration')
  if (sha === null) return null
  if (!MODES.includes(mode)) throw unprocessable('Must supply a valid tree.mode')
  if (content !== undefined && sha === undefined)
    return { mode, id: await repository.git.write('blob', Buffer.from(content)) }
  if (!isId(sha)) throw unprocessable('Must supply either tree.sha or tree.content')
  const type = mode === '040000' ? 'tree' : 'blob'
  if (mode !== '160000' && (await repository.git.readAs(sha, type)) === null)
    throw unprocessable(`tree.sha ${sha} is not a valid ${type} (entry ${index})`)
  return { mode, id: sha }
}
