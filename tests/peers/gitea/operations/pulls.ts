import type { Answer } from '#tests/peers/forge/answer.ts'
import { created, notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, pageOf, parameter, repositoryOf } from '../call.ts'
import { pullJson } from '../json/pull.ts'
import { isClean, mergeCommit, type MergeStyle } from '../merging.ts'
import { moveBranch } from '../move-branch.ts'
import { tipOf } from '../revisions.ts'
import type { Pull, Repository } from '../state.ts'

interface NewPull {
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body?: string
}
interface PullEdit {
  readonly state?: 'open' | 'closed'
  readonly title?: string
  readonly body?: string
  readonly base?: string
}
interface Merge {
  readonly do: string
  readonly head_commit_id?: string
}

const STYLES: Readonly<Record<string, MergeStyle>> = {
  merge: 'merge',
  squash: 'squash',
  rebase: 'rebase',
}

export const pulls = {
  async repoListPullRequests(call: Call): Promise<Answer> {
    const repository = withCode(call, repositoryOf(call))
    const state = call.query.get('state') ?? 'open'
    const base = call.state.flavour.filtersByBase ? call.query.get('base_branch') : null
    const wanted = repository.pulls.filter(
      (pull) =>
        (state === 'all' || (state === 'closed') === (pull.closedAt !== null)) &&
        (base === null || base === '' || pull.base === base),
    )
    const { items, headers } = pageOf(wanted.toReversed(), call, addressOf(call, 'pulls'))
    return ok(await Promise.all(items.map((pull) => show(call, repository, pull, true))), headers)
  },

  async repoGetPullRequest(call: Call) {
    const [repository, pull] = pullOf(call)
    const json = await show(call, repository, pull)
    if (pull.checks > 0) pull.checks -= 1
    return ok(json)
  },

  /** Of several, any. */
  async repoGetPullRequestByBaseHead(call: Call) {
    const repository = withCode(call, repositoryOf(call))
    const [base, head] = [parameter(call, 'base'), parameter(call, 'head')]
    const pull = repository.pulls.find((each) => each.base === base && each.head === head)
    if (pull === undefined) throw notFound()
    return ok(await show(call, repository, pull))
  },

  /** Gitea knows the pull request of a merge commit alone, and of the last commit of a rebase. */
  async repoGetCommitPullRequest(call: Call) {
    const repository = withCode(call, repositoryOf(call))
    const sha = parameter(call, 'sha')
    const pull = repository.pulls.find(({ merged }) => merged?.commit === sha)
    if (pull === undefined)
      throw new Refusal(404, `pull request does not exist [base_repo_id: ${repository.id}]`)
    return ok(await show(call, repository, pull))
  },

  async repoCreatePullRequest(call: Call) {
    const repository = withCode(call, repositoryOf(call, 'write'))
    const wanted = call.body as NewPull
    if (wanted.title === '') throw new Refusal(422, '[Title]: Required')
    const headName = wanted.head.replace(/^[^:]*:/, '')
    const [head, base] = await Promise.all([
      tipOf(repository, headName),
      tipOf(repository, wanted.base),
    ])
    if (head === null || base === null) throw notFound()
    if (headName === wanted.base) {
      const reason = 'There are no changes between the head and the base'
      throw new Refusal(422, `Invalid PullRequest: ${reason}`)
    }
    const open = repository.pulls.find(
      (each) => each.closedAt === null && each.head === headName && each.base === wanted.base,
    )
    if (open !== undefined) {
      const targets = `head_branch: ${headName}, base_branch: ${wanted.base}`
      const what = 'pull request already exists for these targets'
      throw new Refusal(409, `${what} [id: ${open.number}, ${targets}]`)
    }
    const mergeBase = await repository.git.tryGit(['merge-base', base, head])
    const number = repository.pulls.length + 1
    const pull: Pull = {
      number,
      author: call.token.account,
      title: wanted.title,
      body: wanted.body ?? '',
      head: headName,
      base: wanted.base,
      headCommit: head,
      mergeBase: mergeBase.stdout.toString().trim(),
      labels: new Set(),
      reviewers: [],
      reviews: [],
      createdAt: Date.now(),
      closedAt: null,
      merged: null,
      checks: call.state.checkLag,
    }
    repository.pulls.push(pull)
    await repository.git.updateReference(`refs/pull/${number}/head`, head)
    return created(await show(call, repository, pull))
  },

  async repoEditPullRequest(call: Call) {
    const [repository, pull] = pullOf(call, 'write')
    const edit = call.body as PullEdit
    if (edit.state !== undefined && pull.merged !== null) {
      throw new Refusal(412, 'cannot change state of this pull request, it was already merged')
    }
    if (edit.state === 'closed') pull.closedAt ??= Date.now()
    if (edit.state === 'open') pull.closedAt = null
    pull.title = edit.title ?? pull.title
    pull.body = edit.body ?? pull.body
    pull.base = edit.base ?? pull.base
    return created(await show(call, repository, pull))
  },

  /** 405 with one text is "not checked yet" and "in conflict". */
  async repoMergePullRequest(call: Call): Promise<Answer> {
    const [repository, pull] = pullOf(call, 'write')
    const { do: style, head_commit_id: expected } = call.body as Merge
    const merging = STYLES[style]
    if (merging === undefined) throw new Refusal(422, '[Do]: In')
    if (pull.merged !== null) throw new Refusal(405, 'The PR is already merged')
    if (pull.closedAt !== null) throw notFound()
    const later = new Refusal(405, 'Please try again later')
    const base = await tipOf(repository, pull.base)
    if (pull.checks > 0 || base === null) throw later
    if (expected !== undefined && expected !== pull.headCommit) {
      throw new Refusal(409, 'head out of date')
    }
    const by = call.token.account
    const commit = await mergeCommit(repository, base, pull, merging, by)
    if (commit === null) throw later
    pull.closedAt = Date.now()
    const move = { name: pull.base, from: base, to: commit }
    if (!(await moveBranch(call.state, repository, move))) {
      pull.closedAt = null
      throw new Refusal(409, 'merge push out of date')
    }
    pull.merged = { commit, at: pull.closedAt, by }
    return { status: 200 }
  },
}

/** Pull requests of a repository that counts as empty do not exist. */
function withCode({ state }: Call, repository: Repository): Repository {
  if (state.isEmpty(repository)) throw notFound()
  return repository
}

export function pullOf(call: Call, need: 'read' | 'write' = 'read'): readonly [Repository, Pull] {
  const repository = withCode(call, repositoryOf(call, need))
  const number = Number(parameter(call, 'index'))
  const pull = repository.pulls.find((each) => each.number === number)
  if (pull === undefined) throw notFound()
  return [repository, pull]
}

async function show(call: Call, repository: Repository, pull: Pull, isListed = false) {
  const [baseTip, headTip] = await Promise.all([
    tipOf(repository, pull.base),
    tipOf(repository, pull.head),
  ])
  const baseCommit = baseTip ?? ''
  const isChecked = pull.checks === 0 && baseTip !== null
  const mergeable =
    pull.merged !== null || (isChecked && (await isClean(repository, baseCommit, pull.headCommit)))
  return pullJson(call.state, repository, pull, {
    mergeable,
    headExists: headTip !== null,
    baseCommit,
    isListed,
    rights: call.token.rights,
  })
}
