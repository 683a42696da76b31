import { BranchName } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { list, oneOf, optional, parsedBy, text } from '../../../settings/parsers.ts'
import { setting, type SettingValues } from '../../../settings/setting.ts'
import { signingSettings } from '../signing-key.ts'

/** A person, or a team of the repository's owner. */
export interface Reviewer {
  readonly kind: 'person' | 'team'
  readonly name: string
}

const TEAM = 'team:'
const ACCOUNT = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/

function reviewer(item: string): Result<Reviewer, string> {
  const isTeam = item.startsWith(TEAM)
  const name = isTeam ? item.slice(TEAM.length) : item
  return ACCOUNT.test(name)
    ? ok({ kind: isTeam ? 'team' : 'person', name })
    : err('must be account names, and teams as team:name, separated by commas')
}

/** Settings of every hosting service. */
export const hostedSettings = {
  ...signingSettings,
  REPOSITORY_VISIBILITY: setting({
    description:
      'Who sees a new repository: `private`, `internal` (the whole enterprise at GitHub Enterprise, everybody with an account at GitLab) or `public`. It is private until it is complete, or internal from the start',
    example: 'internal',
    fallback: 'private',
    parse: oneOf('private', 'internal', 'public'),
  }),
  REPOSITORY_TOPICS: setting({
    description: 'Topics of a new repository, separated by commas',
    example: 'portico,service',
    fallback: '',
    parse: list(
      text(
        /^[a-z0-9][a-z0-9-]{0,34}$/,
        'topics of lower-case letters, digits and hyphens, at most 35 characters each',
      ),
    ),
  }),
  REPOSITORY_DEFAULT_BRANCH: setting({
    description: 'Default branch of a new repository',
    example: 'trunk',
    fallback: 'main',
    parse: parsedBy((input) => BranchName.parse(input), 'a branch name'),
  }),
  REPOSITORY_TEAM_PERMISSION: setting({
    description:
      'Permission on a new repository for the team that owns it: a team of the same name at the host. Empty: the team gets none from Portico',
    example: 'maintain',
    fallback: '',
    parse: optional(oneOf('pull', 'triage', 'push', 'maintain', 'admin')),
  }),
  PULL_REQUEST_LABELS: setting({
    description: 'Labels of the pull requests that Portico opens, separated by commas',
    example: 'portico,promotion',
    fallback: '',
    parse: list(text(/^[^\p{Cc}]{1,50}$/u, 'labels of at most 50 characters each')),
  }),
  PULL_REQUEST_REVIEWERS: setting({
    description:
      'Reviewers of the pull requests that Portico opens, separated by commas; `team:name` is a team',
    example: 'ada,team:platform',
    fallback: '',
    parse: list(reviewer),
  }),
}

/** Policies for new repositories and pull requests. */
export const policiesOf = (values: SettingValues<typeof hostedSettings>) => ({
  repositories: {
    visibility: values.REPOSITORY_VISIBILITY,
    topics: values.REPOSITORY_TOPICS,
    defaultBranch: values.REPOSITORY_DEFAULT_BRANCH,
    teamPermission: values.REPOSITORY_TEAM_PERMISSION,
  },
  pullRequests: {
    labels: values.PULL_REQUEST_LABELS,
    reviewers: values.PULL_REQUEST_REVIEWERS,
  },
})

export type Policies = ReturnType<typeof policiesOf>
export type Visibility = Policies['repositories']['visibility']
