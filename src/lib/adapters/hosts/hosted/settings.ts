import type { Signing } from '../../../git/signing.ts'
import { BranchName } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { type Credential, credentialOf } from '../../../settings/credential.ts'
import { absolutePath, list, oneOf, optional, parsedBy, text } from '../../../settings/parsers.ts'
import { setting, type SettingValues } from '../../../settings/setting.ts'
import { readText } from '../../../settings/watched-files.ts'
import { isLoopback } from '../../../text/ip-address.ts'
import type { GitHostContext } from '../context.ts'
import { openGit, signingSettings } from '../signing-key.ts'

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

/** What a server is opened with, by the settings whose names begin with `prefix`. The failure is a sentence for the operator. */
export async function openServer(
  prefix: string,
  given: {
    readonly token: string | null
    readonly tokenFile: string | null
    readonly authorityFile: string | null
    readonly keyFile: string | null
  },
  now: number,
): Promise<
  Result<Pick<ServerOptions, 'token' | 'authority' | 'authorityFile' | 'signing'>, string>
> {
  const { authorityFile } = given
  const signing = await openGit(given.keyFile)
  if (!signing.ok) return signing
  const token = credentialOf(given.token, `${prefix}_TOKEN_FILE`, given.tokenFile, readText)
  if (!token.ok) return token
  const authority =
    authorityFile === null
      ? ok(null)
      : readAuthorityFile(`${prefix}_CA_FILE`, authorityFile, readText, now)
  if (!authority.ok) return authority
  const values = { token: token.value, authority: authority.value, signing: signing.value }
  return ok({ ...values, authorityFile })
}

export const tokenSetting = (description: string, example: string) =>
  setting({
    description,
    example,
    fallback: '',
    parse: optional(text(/^[\x21-\x7e]{1,1024}$/, 'an access token')),
  })

export const tokenFileSetting = (prefix: string) =>
  setting({
    description: `File of the token, instead of \`${prefix}_TOKEN\`. It is read again after a change`,
    example: `/run/secrets/${prefix.toLowerCase()}-token`,
    fallback: '',
    parse: optional(absolutePath),
  })

/** `host`: its name in sentences. */
export const authorityFileSetting = (host: string) =>
  setting({
    description: `Certificates, in PEM, that ${host}’s certificate is checked with, instead of the system’s`,
    example: `/etc/portico/${host.toLowerCase()}-ca.pem`,
    fallback: '',
    parse: optional(absolutePath),
  })

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

/** What new repositories and pull requests get. */
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
export type RepositoryPolicy = Policies['repositories']
export type PullRequestPolicy = Policies['pullRequests']

/** A server that takes an access token. */
export interface ServerOptions extends Omit<GitHostContext, 'writeTurns'>, Policies {
  /** Without a slash at its end. */
  readonly url: string
  readonly token: Credential
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  /** File of `authority`, for git. */
  readonly authorityFile: string | null
  readonly signing: Signing | null
}
