import type { Answer } from '#tests/peers/forge/answer.ts'
import { compareCommits } from '#tests/peers/forge/git/commits.ts'
import { showLabel, showPull, showWholePull } from './show-pull.ts'
import { invalid, notFound, unprocessable } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { paged } from '../paging.ts'
import { fullName, type PullRequest, type Repository, type State } from '../state.ts'
import { lookAtMerge, refresh } from '../pull-requests.ts'

export async function createPull(call: RepositoryCall): Promise<Answer> {
  const { repository, state, credential, links } = call
  const body = call.body as {
    readonly title?: string
    readonly head: string
    readonly base: string
    readonly body?: string
    readonly draft?: boolean
  }
  // Somebody else's fork is not known here, and the owner may be left out.
  const head = body.head.replace(`${repository.owner.login}:`, '')
  return await repository.git.inTurn(async () => {
    const branch = async (name: string) => await repository.git.reference(`refs/heads/${name}`)
    const [headCommit, baseCommit] = [await branch(head), await branch(body.base)]
    const wrong = (field: string) => invalid('PullRequest', { field, code: 'invalid' })
    if (headCommit === null || head.includes(':')) throw wrong('head')
    if (baseCommit === null) throw wrong('base')
    const pulls = [...repository.pulls.values()]
    const custom = (message: string) => invalid('PullRequest', { code: 'custom', message })
    if (
      pulls.some((each) => each.state === 'open' && each.head === head && each.base === body.base)
    )
      throw custom(`A pull request already exists for ${repository.owner.login}:${head}.`)
    const { ahead, mergeBase } = await compareCommits(repository.git, baseCommit, headCommit)
    if (mergeBase === null)
      throw custom(`The ${head} branch has no history in common with ${body.base}`)
    if (ahead.length === 0) throw custom(`No commits between ${body.base} and ${head}`)
    if (body.title === undefined)
      throw invalid('PullRequest', { field: 'title', code: 'missing_field' })
    const pull: PullRequest = {
      id: state.nextId(),
      number: pulls.length + 1,
      title: body.title,
      body: body.body ?? null,
      user: credential.account,
      draft: body.draft ?? false,
      createdAt: state.now(),
      head,
      base: body.base,
      headCommit,
      baseCommit,
      state: 'open',
      closedAt: null,
      mergedAt: null,
      mergeCommit: null,
      mergedBy: null,
      tried: null,
      labels: [],
      reviewers: [],
      reviewingTeams: [],
      reviews: [],
      isQueued: false,
    }
    repository.pulls.set(pull.number, pull)
    return {
      status: 201,
      headers: { location: `${links.api}/repos/${fullName(repository)}/pulls/${pull.number}` },
      body: showWholePull(links, repository, pull, null),
    }
  })
}

export async function getPull(call: RepositoryCall): Promise<Answer> {
  const { repository, links, state } = call
  const pull = await pullOf(state, repository, call.parameters['pull_number'])
  const mergeable = await lookAtMerge(repository, pull)
  return { status: 200, body: showWholePull(links, repository, pull, mergeable) }
}

async function pullOf(state: State, repository: Repository, number = ''): Promise<PullRequest> {
  const pull = repository.pulls.get(Number(number))
  if (pull === undefined) throw notFound()
  await refresh(state, repository, pull)
  return pull
}

export async function listPulls(call: RepositoryCall): Promise<Answer> {
  const { repository, links, query, state } = call
  for (const pull of repository.pulls.values()) await refresh(state, repository, pull)
  const wanted = { state: query.get('state') ?? 'open', base: query.get('base') }
  // GitHub pays no heed to a head without an owner.
  const [owner, ...rest] = (query.get('head') ?? '').split(':')
  const head = rest.length === 0 ? null : rest.join(':')
  const found = [...repository.pulls.values()].filter(
    (pull) =>
      (wanted.state === 'all' || pull.state === wanted.state) &&
      (wanted.base === null || pull.base === wanted.base) &&
      (head === null || (pull.head === head && owner === repository.owner.login)),
  )
  // The numbers ascend with the time of creation, which is what GitHub sorts by.
  const isAscending = query.get('direction') === 'asc'
  found.sort((a, b) => (isAscending ? a.number - b.number : b.number - a.number))
  return paged(call, found, (pull) => showPull(links, repository, pull))
}

export async function addLabels(call: RepositoryCall): Promise<Answer> {
  const { repository, state } = call
  const pull = await pullOf(state, repository, call.parameters['issue_number'])
  const body = call.body as
    readonly string[] | { readonly labels: readonly (string | { readonly name: string })[] }

  const wanted = 'labels' in body ? body.labels : body
  for (const label of wanted) {
    const name = typeof label === 'string' ? label : label.name
    if (!pull.labels.some((each) => each.name === name))
      pull.labels.push({ id: state.nextId(), name })
  }
  return { status: 200, body: pull.labels.map(showLabel) }
}

export async function requestReviewers(call: RepositoryCall): Promise<Answer> {
  const { repository, links, state } = call
  const pull = await pullOf(state, repository, call.parameters['pull_number'])
  const { reviewers = [], team_reviewers: teams = [] } = call.body as {
    readonly reviewers?: readonly string[]
    readonly team_reviewers?: readonly string[]
  }
  const accounts = reviewers.map((login) => state.accounts.get(login.toLowerCase()))
  const owner = repository.owner.login
  if (
    accounts.some((each) => each === undefined || each.type === 'Organization') ||
    teams.some((slug) => !state.teams.has(`${owner}/${slug}`.toLowerCase()))
  )
    throw unprocessable(
      `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName(repository)} repository.`,
    )
  if (accounts.some((each) => each?.id === pull.user.id))
    throw unprocessable('Review cannot be requested from pull request author.')
  for (const account of accounts) if (account !== undefined) pull.reviewers.push(account)
  pull.reviewingTeams.push(...teams)
  return { status: 201, body: showPull(links, repository, pull) }
}
