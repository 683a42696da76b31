import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, pageOf, parameter, repositoryOf } from '../call.ts'
import { commitJson, partsOf } from '../json/commits.ts'
import { commitNamed } from '../revisions.ts'
import type { Repository } from '../state.ts'

export const history = {
  async repoGetAllCommits(call: Call): Promise<Answer> {
    const repository = repositoryOf(call)
    if (call.state.isEmpty(repository)) throw new Refusal(409, 'Git Repository is empty.')
    if ((call.query.get('path') ?? '') !== '') return await listOfPath(call, repository)
    const of = await commitNamed(repository, call.query.get('sha') ?? repository.defaultBranch)
    if (of === null) return { status: 404, body: null }
    const not = call.query.get('not')
    const without = not === null ? null : await commitNamed(repository, not)
    if (not !== null && without === null) {
      throw new Refusal(500, `exit status 128 - fatal: bad object ${not}`)
    }
    const ids = await list(repository, without === null ? [of] : [of, `^${without}`])
    const { items, headers } = pageOf(ids, call, addressOf(call, 'commits'))
    const parts = partsOf(call.query)
    const commits = items.map((id) => commitJson(call.state, repository, id, parts))
    return ok(await Promise.all(commits), headers)
  },

  /** Commits of the head since the two parted. */
  async repoCompareDiff(call: Call) {
    const repository = repositoryOf(call)
    const [from = '', to = ''] = parameter(call, 'basehead').split(/\.{2,3}/)
    const [base, head] = await Promise.all([
      commitNamed(repository, from),
      commitNamed(repository, to),
    ])
    if (base === null || head === null) throw notFound()
    const ids = await list(repository, [head, `^${base}`])
    const parts = partsOf(call.query)
    const commits = ids.map((id) => commitJson(call.state, repository, id, parts))
    return ok({ total_commits: ids.length, commits: await Promise.all(commits) })
  },
}

/** Pages have a size of their own. The links count on the asked one, unless it is larger. */
async function listOfPath(call: Call, repository: Repository): Promise<Answer> {
  const { query, state } = call
  const of = await commitNamed(repository, query.get('sha') ?? repository.defaultBranch)
  if (of === null) throw new Refusal(500, 'exit status 128 - fatal: bad object')
  const ids = await list(repository, [of, '--', query.get('path') ?? ''])
  if (ids.length === 0) throw notFound('FileCommitsCount')
  const links = new URLSearchParams(query)
  links.set('limit', String(Math.min(Number(query.get('limit') ?? 30), state.commitsRangeSize)))
  const { headers } = pageOf(ids, { query: links }, addressOf(call, 'commits'))
  const start = (Math.max(Number(query.get('page') ?? 1), 1) - 1) * state.commitsRangeSize
  const commits = ids
    .slice(start, start + state.commitsRangeSize)
    .map((id) => commitJson(state, repository, id, partsOf(query)))
  return ok(await Promise.all(commits), headers)
}

async function list({ git }: Repository, revisions: readonly string[]) {
  const output = await git.git(['rev-list', ...revisions])
  return output.toString().split('\n').filter(Boolean)
}
