import { readCommit, writeCommit } from '#tests/peers/forge/git/commits.ts'
import {
  changeTree,
  listTree,
  type TreeChange,
  type TreeEntry,
} from '#tests/peers/forge/git/trees.ts'
import { created, Refusal } from '../answer.ts'
import { type Call, repositoryOf } from '../call.ts'
import { commitJson } from '../json/commits.ts'
import { moveBranch } from '../move-branch.ts'
import { tipOf } from '../revisions.ts'
import type { Account, Repository } from '../state.ts'

interface FileOperation {
  readonly operation: 'create' | 'update' | 'delete'
  readonly path: string
  readonly content?: string
  readonly sha?: string
}
interface ChangeFiles {
  readonly branch?: string
  readonly new_branch?: string
  readonly message?: string
  readonly files: readonly FileOperation[]
}

export const contents = {
  /** Many files in one commit, by compare-and-swap of each file. New files are not executable. */
  async repoChangeFiles(call: Call) {
    const repository = repositoryOf(call, 'write')
    const wanted = call.body as ChangeFiles
    const from = wanted.branch ?? repository.defaultBranch
    const to = wanted.new_branch ?? from
    const tip = await tipOf(repository, from)
    if (to !== from && (await tipOf(repository, to)) !== null) {
      throw new Refusal(422, `branch already exists [name: ${to}]`)
    }
    if (repository.protections.has(to)) {
      const user = call.token.account.login
      throw new Refusal(403, `user cannot commit to repo [user: ${user}]`)
    }
    const base = tip === null ? null : ((await readCommit(repository.git, tip))?.tree ?? null)
    const entries = base === null ? [] : await listTree(repository.git, base, true)
    const known = new Map(entries.map((entry) => [entry.path, entry]))
    const changes: TreeChange[] = []
    for (const file of wanted.files) changes.push(await changeOf(repository, known, file))
    const tree = await changeTree(repository.git, base, changes)
    const commit = await writeCommit(repository.git, {
      tree,
      parents: tip === null ? [] : [tip],
      author: signatureOf(call.token.account),
      committer: signatureOf(call.token.account),
      message: `${wanted.message ?? ''}\n`,
      isSigned: false,
    })
    const expected = to === from ? tip : null
    if (!(await moveBranch(call.state, repository, { name: to, from: expected, to: commit }))) {
      const now = await tipOf(repository, to)
      const reason = `cannot lock ref 'refs/heads/${to}': is at ${now} but expected ${expected}`
      throw new Refusal(403, `failed to push: remote: error: ${reason}`)
    }
    const all = { verification: true, files: true, stat: true }
    const { commit: inner, ...outer } = await commitJson(call.state, repository, commit, all)
    const { author, committer, message } = inner
    const { url, sha, created: at, html_url, parents } = outer
    return created({
      files: [],
      commit: {
        url,
        sha,
        created: at,
        html_url,
        author,
        committer,
        parents,
        message,
        tree: { url, sha: tree, created: at },
      },
      verification: inner.verification,
    })
  },
}

async function changeOf(
  { git }: Repository,
  known: ReadonlyMap<string, TreeEntry>,
  { operation, path, content = '', sha }: FileOperation,
): Promise<TreeChange> {
  if (path.split('/').includes('..')) {
    throw new Refusal(500, `LsFiles: fatal: ${path}: '${path}' is outside repository`)
  }
  const existing = known.get(path)
  if (operation === 'create') {
    if (existing) throw new Refusal(422, `repository file already exists [path: ${path}]`)
  } else {
    if (existing === undefined) {
      throw new Refusal(404, `object does not exist [id: , rel_path: ${path}]`)
    }
    if (sha !== existing.id) {
      throw new Refusal(422, `sha does not match [given: ${sha}, expected: ${existing.id}]`)
    }
  }
  if (operation === 'delete') return { path, entry: null }
  const id = await git.write('blob', Buffer.from(content, 'base64'))
  return { path, entry: { mode: existing?.mode ?? '100644', id } }
}

export const signatureOf = ({ login }: Account) => ({
  name: login,
  email: `${login}@noreply.gitea.test`,
  at: Math.floor(Date.now() / 1000),
})
