import { created, notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, pageOf, parameter, repositoryOf } from '../call.ts'
import { teamJson, userJson } from '../json/accounts.ts'
import { labelJson } from '../json/pull.ts'
import { commitNamed } from '../revisions.ts'
import type { Account, Team } from '../state.ts'
import { pullOf } from './pulls.ts'

interface Reviewers {
  readonly reviewers?: readonly string[]
  readonly team_reviewers?: readonly string[]
}

export const reviews = {
  issueListLabels(call: Call) {
    const repository = repositoryOf(call)
    const { items, headers } = pageOf(repository.labels, call, addressOf(call, 'labels'))
    return ok(items.map(labelJson), headers)
  },

  issueCreateLabel(call: Call) {
    const repository = repositoryOf(call, 'write')
    const { name, color } = call.body as { readonly name: string; readonly color: string }
    const label = { id: call.state.nextId(), name, color: color.replace(/^#/, '') }
    repository.labels.push(label)
    return created(labelJson(label))
  },

  /** By name or by id. Unknown labels are left out without a word. */
  issueAddLabel(call: Call) {
    const [repository, pull] = pullOf(call, 'write')
    const { labels = [] } = call.body as { readonly labels?: readonly (string | number)[] }
    for (const wanted of labels) {
      const label = repository.labels.find(({ id, name }) => id === wanted || name === wanted)
      if (label !== undefined) pull.labels.add(label)
    }
    return ok([...pull.labels].map(labelJson))
  },

  repoListPullReviews(call: Call) {
    const [, pull] = pullOf(call)
    const { number } = pull
    const { items, headers } = pageOf(
      pull.reviews,
      call,
      addressOf(call, `pulls/${number}/reviews`),
    )
    return ok(
      items.map(({ by, state, official, dismissed = false }) => ({
        id: call.state.nextId(),
        user: userJson(call.state, by),
        state,
        official,
        dismissed,
      })),
      headers,
    )
  },

  /** Nothing but the state of all statuses together is read. */
  async repoGetCombinedStatusByRef(call: Call) {
    const repository = repositoryOf(call)
    const sha = await commitNamed(repository, parameter(call, 'ref'))
    if (sha === null) throw notFound()
    const state = repository.statuses.get(sha)
    return ok({ state: state ?? 'pending', sha, total_count: state === undefined ? 0 : 1 })
  },

  repoCreatePullReviewRequests(call: Call) {
    const [repository, pull] = pullOf(call, 'write')
    const { reviewers = [], team_reviewers: teamNames = [] } = call.body as Reviewers
    const people = reviewers.map((login): Account => {
      const account = call.state.account(login)
      if (account === undefined) throw notFound(`User '${login}' not exist`)
      if (account === pull.author) {
        const ids = `user_id: ${account.id}, repo_id: ${repository.id}`
        throw new Refusal(422, `poster of pr can't be reviewer [${ids}]`)
      }
      return account
    })
    const teams = teamNames.map((name): Team => {
      const team = call.state.teams.find((each) => each.name === name)
      if (team === undefined) throw notFound(`Team '${name}' not exist`)
      return team
    })
    const requests = [...people, ...teams]
    pull.reviewers.push(...requests)
    return created(
      requests.map((each) => ({
        id: call.state.nextId(),
        user: 'login' in each ? userJson(call.state, each) : null,
        team: 'login' in each ? null : teamJson(each),
        state: 'REQUEST_REVIEW',
      })),
    )
  },
}
