import { BranchName } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { type Credential, credentialOf } from '../../../settings/credential.ts'
import { list, oneOf, optional, parsedBy, text } from '../../../settings/parsers.ts'
import { setting } from '../../../settings/setting.ts'
import { readText } from '../../../settings/watched-files.ts'
import { isLoopback } from '../../../text/ip-address.ts'
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

/**
 * The URL of a server with the path below which it is served, which may be none; without a slash at its end. `api`: path of the API
 * below it.
 */
export const serverUrl =
  (api: string) =>
  (input: string): Result<string, string> => {
    const url = URL.parse(input)
    const isBase =
      url !== null &&
      (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
      url.href === `${url.origin}${url.pathname}` &&
      !url.pathname.includes(api)
    return isBase
      ? ok(url.href.replace(/\/+$/, ''))
      : err(`must be the https URL of the pages, without ${api}, user name and query`)
  }

/** The token and the authorities of a server, by the settings whose names begin with `prefix`. */
export function serverAccess(
  prefix: string,
  given: {
    readonly token: string | null
    readonly tokenFile: string | null
    readonly authorityFile: string | null
  },
  now: number,
): Result<{ readonly token: Credential; readonly authority: string | null }, string> {
  const token = credentialOf(given.token, `${prefix}_TOKEN_FILE`, given.tokenFile, readText)
  if (!token.ok) return token
  const authority =
    given.authorityFile === null
      ? ok(null)
      : readAuthorityFile(`${prefix}_CA_FILE`, given.authorityFile, readText, now)
  return authority.ok ? ok({ token: token.value, authority: authority.value }) : authority
}

/** The mistake of a server without a token, or with two; `null`: none. */
export function tokenMistake(prefix: string, token: string | null, file: string | null) {
  if ((token === null) !== (file === null)) return null
  return token === null
    ? `is missing, and so is ${prefix}_TOKEN_FILE`
    : `is set twice, also as ${prefix}_TOKEN_FILE`
}

/** Settings of every hosting service. */
export const hostedSettings = {
  ...signingSettings,
  REPOSITORY_VISIBILITY: setting({
    description:
      'Who sees a new repository: `private`, `internal` (the whole enterprise at GitHub Enterprise, everybody with an account at GitLab) or `public`. It is private until it is complete',
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
