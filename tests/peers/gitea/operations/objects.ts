import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { listTree, type TreeEntry } from '#tests/peers/forge/git/trees.ts'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, parameter, repositoryOf } from '../call.ts'
import { commitJson, partsOf } from '../json/commits.ts'
import { commitNamed } from '../revisions.ts'

/** `DEFAULT_GIT_TREES_PER_PAGE` of Gitea's configuration. */
const TREES_PER_PAGE = 1_000

export const objects = {
  repoListAllGitRefs: (call: Call) => listRefs(call, 'refs/'),
  repoListGitRefs: (call: Call) => listRefs(call, `refs/${parameter(call, 'ref')}`),

  async repoGetSingleCommit(call: Call) {
    const repository = repositoryOf(call)
    const text = parameter(call, 'sha')
    const id = await commitNamed(repository, text)
    if (id === null) throw notFound(`commit doesn't exist: ${text}`)
    return ok(await commitJson(call.state, repository, id, partsOf(call.query)))
  },

  /** Pages of a tree, or of the tree of a commit, whose `sha` is then the commit's. */
  async GetTree(call: Call) {
    const repository = repositoryOf(call)
    const text = parameter(call, 'sha')
    const commit = await commitNamed(repository, text)
    const id = commit === null ? text : (await readCommit(repository.git, commit))?.tree
    if (id === undefined || (await repository.git.readAs(id, 'tree')) === null) {
      throw new Refusal(400, `sha not found [${text}]`)
    }
    const isRecursive = ['true', '1'].includes(call.query.get('recursive') ?? '')
    const all = await listTree(repository.git, id, isRecursive)
    const asked = Number(call.query.get('per_page') ?? TREES_PER_PAGE) || TREES_PER_PAGE
    const perPage = Math.min(asked, TREES_PER_PAGE)
    const page = Math.max(Number(call.query.get('page') ?? 1), 1)
    const entries = all.slice((page - 1) * perPage, page * perPage)
    const sha = commit ?? id
    const api = addressOf(call, 'git')
    const json = {
      sha,
      url: `${api}/trees/${sha}`,
      tree: entries.length === 0 ? null : entries.map((entry) => entryJson(api, entry)),
      truncated: entries.length > 0 && page * perPage < all.length,
      page,
      total_count: all.length,
    }
    return ok(json, { 'x-total-count': String(all.length) })
  },

  /** Takes any object for a blob. */
  async GetBlob(call: Call) {
    const repository = repositoryOf(call)
    const sha = parameter(call, 'sha')
    if (sha.length !== 40) {
      throw new Refusal(400, `length ${sha.length} has no matched object format: ${sha}`)
    }
    const object = await repository.git.read(sha)
    if (object === null) {
      throw new Refusal(400, `object does not exist [id: ${sha}, rel_path: ]`)
    }
    return ok({
      content: Buffer.from(object.bytes).toString('base64'),
      encoding: 'base64',
      url: addressOf(call, `git/blobs/${sha}`),
      sha,
      size: object.bytes.length,
    })
  },

  async repoGetRawFile(call: Call): Promise<Answer> {
    const repository = repositoryOf(call)
    if (call.state.isEmpty(repository)) throw notFound('repository is empty')
    const ref = call.query.get('ref') ?? repository.defaultBranch
    const commit = await commitNamed(repository, ref)
    if (commit === null) throw notFound('unable to find a git ref')
    const tree = (await readCommit(repository.git, commit))?.tree ?? ''
    const path = parameter(call, 'filepath')
    const entry = (await listTree(repository.git, tree, true)).find((each) => each.path === path)
    if (entry === undefined) throw notFound()
    const bytes = await repository.git.readAs(entry.id, 'blob')
    if (bytes === null) throw notFound('getBlobForEntry')
    const headers = {
      etag: `"${entry.id}"`,
      'content-type': 'text/plain; charset=utf-8',
      [`${call.state.flavour.headerPrefix}-Object-Type`]: 'file',
    }
    if (call.headers['if-none-match'] === headers.etag) return { status: 304, headers }
    return { status: 200, headers, body: bytes }
  },
}

/** References whose names begin with the text: a branch `main` brings `mainly` with it. */
async function listRefs(call: Call, prefix: string): Promise<Answer> {
  const repository = repositoryOf(call)
  const found = await repository.git.references(prefix)
  if (found.length === 0) throw notFound()
  const api = addressOf(call, 'git')
  const references = found.map(([ref, sha]) => ({
    ref,
    url: `${api}/${ref}`,
    object: { type: 'commit', sha, url: `${api}/commits/${sha}` },
  }))
  return ok(references)
}

const entryJson = (api: string, { path, mode, type, id, size = 0 }: TreeEntry) => ({
  path,
  mode,
  type,
  size,
  sha: id,
  url: type === 'commit' ? '' : `${api}/${type}s/${id}`,
})
