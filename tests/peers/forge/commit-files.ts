import type { BareRepository } from './git/bare-repository.ts'
import { writeCommit } from './git/commits.ts'
import { changeTree } from './git/trees.ts'

export interface SeedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable?: boolean
}

interface HasGit {
  readonly git: BareRepository
}

/** A commit on top of a branch, which begins where there is none. */
export async function commitFiles(
  { git }: HasGit,
  branch: string,
  files: readonly SeedFile[],
  message = 'Seed',
): Promise<string> {
  const parent = await git.reference(`refs/heads/${branch}`)
  const changes = []
  for (const { path, bytes, executable } of files) {
    const id = await git.write('blob', bytes)
    changes.push({ path, entry: { mode: executable === true ? '100755' : '100644', id } })
  }
  const base =
    parent === null ? null : (await git.git(['rev-parse', `${parent}^{tree}`])).toString()
  const tree = await changeTree(git, base?.trim() ?? null, changes)
  return await commitTree(git, branch, tree, parent === null ? [] : [parent], message)
}

/** A commit without parents, with entries of any mode. */
export async function plantEntries(
  { git }: HasGit,
  branch: string,
  entries: readonly { readonly path: string; readonly mode: string; readonly content: string }[],
): Promise<void> {
  const changes = []
  for (const { path, mode, content } of entries) {
    const isModule = mode === '160000'
    const id = isModule ? content : await git.write('blob', new TextEncoder().encode(content))
    changes.push({ path, entry: { mode, id } })
  }
  const tree = await changeTree(git, null, changes)
  await commitTree(git, branch, tree, [], 'Planted')
}

async function commitTree(
  git: BareRepository,
  branch: string,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const author = { name: 'Seed', email: 'seed@example.com', at: 1_700_000_000 }
  const commit = { tree, parents, author, committer: author, message, isSigned: false }
  const id = await writeCommit(git, commit)
  await git.updateReference(`refs/heads/${branch}`, id)
  return id
}
