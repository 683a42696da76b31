import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { listTree, type TreeEntry } from '#tests/peers/forge/git/trees.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { pathOf } from '../links.ts'
import { fullName } from '../state.ts'
import { gitUrlOf } from './git-url.ts'
import { refuseEmpty } from './refs.ts'

/** Entries of a directory that GitHub answers with, without a word about the others. */
const ENTRIES_MAX = 1_000
const TYPES: Readonly<Record<string, string>> = {
  '040000': 'dir',
  '120000': 'symlink',
  '160000': 'submodule',
}

/** The entries of a directory, or one entry. The content of a file is left out, as of one of more than a megabyte. */
export async function getContent(call: RepositoryCall): Promise<Answer> {
  const { repository, parameters, query } = call
  await refuseEmpty(repository)
  const { git, defaultBranch } = repository
  const text = query.get('ref') ?? defaultBranch
  const commit = await readCommit(git, (await git.reference(`refs/heads/${text}`)) ?? text)
  if (commit === null) throw notFound()
  const path = parameters['path'] ?? ''
  const entry = (await listTree(git, commit.tree, true)).find((each) => each.path === path)
  if (entry === undefined) throw notFound()
  if (entry.type !== 'tree') return { status: 200, body: showEntry(call, commit.id, entry) }
  const entries = (await listTree(git, entry.id, false)).slice(0, ENTRIES_MAX)
  return {
    status: 200,
    body: entries.map((each) =>
      showEntry(call, commit.id, { ...each, path: `${path}/${each.path}` }),
    ),
  }
}

function showEntry({ links, repository }: RepositoryCall, commit: string, entry: TreeEntry) {
  const { path, mode, id, size = 0 } = entry
  const type = TYPES[mode] ?? 'file'
  const name = fullName(repository)
  const url = `${links.api}/repos/${name}/contents/${pathOf(path)}?ref=${commit}`
  const git = `${gitUrlOf(links, repository)}/${type === 'dir' ? 'trees' : 'blobs'}/${id}`
  const html = `${links.web}/${name}/${type === 'dir' ? 'tree' : 'blob'}/${commit}/${pathOf(path)}`
  const isFile = type === 'file'
  return {
    name: path.split('/').at(-1),
    path,
    sha: id,
    size,
    url,
    html_url: html,
    git_url: git,
    download_url: isFile ? `${html}?raw=true` : null,
    type,
    _links: { self: url, git, html },
  }
}
