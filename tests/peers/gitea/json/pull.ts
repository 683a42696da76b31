import {
  type Label,
  type Pull,
  type Repository,
  type Rights,
  type State,
  fullName,
} from '../state.ts'
import { teamJson, userJson } from './accounts.ts'
import { repositoryJson } from './repository.ts'

const instant = (milliseconds: number) => new Date(milliseconds).toISOString().replace(/\.\d+/, '')

export const labelJson = ({ id, name, color }: Label) => ({ id, name, color })

export interface PullFacts {
  readonly mergeable: boolean
  readonly headExists: boolean
  /** Tip of the base branch. */
  readonly baseCommit: string
  /** Lists leave some members out. */
  readonly isListed: boolean
  readonly rights: Rights
}

export function pullJson(state: State, repository: Repository, pull: Pull, facts: PullFacts) {
  const { number, merged } = pull
  const page = `${state.url}/${fullName(repository)}/pulls/${number}`
  const repo = repositoryJson(state, repository, facts.rights)
  const people = pull.reviewers.flatMap((each) => ('login' in each ? [userJson(state, each)] : []))
  const teams = pull.reviewers.flatMap((each) => ('login' in each ? [] : [teamJson(each)]))
  const empty = facts.isListed ? null : []
  return {
    id: repository.id * 1000 + number,
    number,
    user: userJson(state, pull.author),
    title: pull.title,
    body: pull.body,
    labels: [...pull.labels].map(labelJson),
    requested_reviewers: people.length > 0 ? people : empty,
    requested_reviewers_teams: teams.length > 0 ? teams : empty,
    state: pull.closedAt === null ? 'open' : 'closed',
    ...(pull.draft !== null && { draft: pull.draft ?? /^(?:WIP:|\[WIP\])/i.test(pull.title) }),
    html_url: page,
    mergeable: facts.mergeable,
    merged: merged !== null,
    merged_at: merged && instant(merged.at),
    merge_commit_sha: merged && merged.commit,
    merged_by: merged && userJson(state, merged.by),
    base: {
      label: pull.base,
      ref: pull.base,
      sha: facts.baseCommit,
      repo_id: repository.id,
      repo,
    },
    head: {
      label: pull.head,
      // Of a deleted branch only the label has its name.
      ref: facts.headExists ? pull.head : `refs/pull/${number}/head`,
      sha: pull.headCommit,
      repo_id: repository.id,
      repo,
    },
    merge_base: pull.mergeBase,
    created_at: instant(pull.createdAt),
    updated_at: instant(pull.createdAt),
    closed_at: pull.closedAt === null ? null : instant(pull.closedAt),
  }
}
