import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { BranchName, RepositoryId, RepositoryOwner } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { GitHost } from '../../../ports/git-host.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { type Answer, apiPath, messageOf } from '../hosted/api/client.ts'
import { createRightsCheck, findingOf, missingBy } from '../hosted/check.ts'
import { type KnownRepositories, nameOf, pathOf } from '../hosted/known-repositories.ts'
import { isOwnAccount } from '../hosted/repositories.ts'
import type { Visibility } from '../hosted/settings.ts'
import type { GitHubClient } from './api/client.ts'
import { firstSeenBy } from './creation.ts'
import { gitHubRefusal } from './api/refusal.ts'

const Installation = Compile(
  Type.Object({ suspended_at: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
)
const Account = Compile(Type.Object({ type: Type.String() }))
const Branch = Compile(Type.Object({ protected: Type.Optional(Type.Boolean()) }))
const Rules = Compile(Type.Array(Type.Object({ type: Type.String() })))

/** Rules that refuse a commit of ours ("Available rules for rulesets"). Others, such as `deletion`, do not. */
const BINDING_RULES = new Set(['pull_request', 'required_status_checks', 'merge_queue', 'update'])
const ADMINISTRATION = 'administration: write'
const NAME_MAX_CHARACTERS = 100
const HOST = 'GitHub'

interface Checked {
  readonly known: KnownRepositories
  readonly clock: Clock
  readonly repositories: { readonly visibility: Visibility }
}

/** Beside the rights: the installation, the end of the token, and the repositories that are only read. */
export function createCheck(
  client: GitHubClient,
  { known, clock, repositories: { visibility } }: Checked,
): GitHost['check'] {
  const checkRights = createRightsCheck({
    host: HOST,
    known,
    rightsOn: (gitops, branch) => rightsOn(client, gitops, branch),
    rightIn: (owner) => [
      `${ADMINISTRATION} on ${owner}`,
      missingCreation(client, owner, visibility),
    ],
    isProtected: (repository, branch) => isProtected(client, repository, branch),
  })
  return async (uses) => {
    const installation = await checkInstallation(client)
    if (installation?.ok === false) return [installation]
    const { gitops, templates, cli } = uses
    const readOnly = new Map([templates, cli].flatMap((id) => (id ? [[nameOf(id), id]] : [])))
    readOnly.delete(nameOf(gitops))
    const [end, rights, ...reads] = await Promise.all([
      checkTokenEnd(client, gitops, clock.now()),
      checkRights(uses),
      ...[...readOnly.values()].map((id) => checkReadable(client, known, id)),
    ])
    return [...(installation === null ? [] : [installation]), ...end, ...rights, ...reads.flat()]
  }
}

/** "Get an installation for the authenticated app". `null`: a token. */
async function checkInstallation({ app }: GitHubClient): Promise<ConnectionFinding | null> {
  if (app === null) return null
  const id = app.installationId
  const answer = await app.ask('GET', apiPath`/app/installations/${id}`)
  if (!answer.ok) return fails(`The App's installation ${id}: ${failureText(answer.error)}.`)
  const { status, json } = answer.value
  if (status === 404) {
    return fails(`The App has no installation ${id}: GITHUB_INSTALLATION_ID must name one of it.`)
  }
  if (status !== 200 || !Installation.Check(json)) {
    return fails(`The App's installation ${id}: GitHub answered with ${status}.`)
  }
  return json.suspended_at
    ? fails(`The App's installation ${id} is suspended.`)
    : works(`The App is installed (installation ${id}).`)
}

/** Classic tokens without the scope, and people without the permission, get 404. */
const refusedTo = (right: string, subject: string) => (answer: Answer) => {
  const failure = gitHubRefusal(answer, { repository: subject, right })
  return failure.kind === 'git_not_found' ? `${right} on ${subject}` : failureText(failure)
}

function rightsOn(client: GitHubClient, gitops: RepositoryId, base: BranchName) {
  const name = nameOf(gitops)
  const tried = async (right: string, path: string, body: object, allowed: readonly number[]) =>
    missingBy(
      await client.write('POST', `${pathOf(gitops)}${path}`, body),
      allowed,
      refusedTo(right, name),
    )
  const [contents, pulls] = ['contents: write', 'pull_requests: write'] as const
  // "Create a blob": an object that no commit has is seen by nobody. 409: a repository without a commit.
  const blob = { content: '', encoding: 'utf-8' }
  // "Create a pull request": of a branch that does not exist it is 422 for those who may create one.
  const head = `portico/check/${crypto.randomUUID()}`
  const pull = { title: 'A check of rights', head, base }
  return [
    [`${contents} on ${name}`, tried(contents, '/git/blobs', blob, [201, 409])],
    [`${pulls} on ${name}`, tried(pulls, '/pulls', pull, [422])],
  ] as const
}

/** "Get a branch" and "Get rules for a branch". Enterprise Server may have no rules. */
async function isProtected(
  client: GitHubClient,
  repository: RepositoryId,
  branch: BranchName,
): Promise<boolean | null> {
  const [found, rules] = await Promise.all([
    client.read(`${pathOf(repository)}${apiPath`/branches/${branch}`}`),
    client.read(`${pathOf(repository)}${apiPath`/rules/branches/${branch}`}`, {
      query: { per_page: 100 },
    }),
  ])
  if (!found.ok) return null
  const isRuled =
    rules.ok &&
    Rules.Check(rules.value.json) &&
    rules.value.json.some(({ type }) => BINDING_RULES.has(type))
  return isRuled || (Branch.Check(found.value.json) && found.value.json.protected === true)
}

/** A repository that is missing is reported by its reader. */
async function checkReadable(
  client: GitHubClient,
  known: KnownRepositories,
  id: RepositoryId,
): Promise<readonly ConnectionFinding[]> {
  const right = 'contents: read'
  const facts = await known.recent(id)
  if (!facts.ok && facts.error.kind === 'git_not_found') return []
  const answer = facts.ok
    ? await client.read(`${pathOf(id)}${apiPath`/branches/${facts.value.default_branch}`}`)
    : facts
  const missing = missingBy(answer, [200, 404], refusedTo(right, nameOf(id)))
  return [findingOf(HOST, `${right} on ${nameOf(id)}`, missing)]
}

/** Whether repositories can be created for this account. */
async function missingCreation(
  client: GitHubClient,
  owner: RepositoryOwner,
  visibility: Visibility,
): Promise<string | null> {
  const account = await client.read(apiPath`/users/${owner}`)
  if (!account.ok) return failureText(account.error)
  const { status, json } = account.value
  if (status === 404) return `there is no organization ${owner}`
  if (!Account.Check(json)) return `no account, answered with ${status}`
  const isOrganization = json.type === 'Organization'
  const other = isOrganization ? null : await otherPerson(client, owner)
  if (other !== null) return other
  // It cannot be made, so that trying it makes none. GitHub answers 422 to those who may create one.
  const name = 'x'.repeat(NAME_MAX_CHARACTERS + 1)
  const description = 'A check of rights\u0007'
  const impossible = { name, description, ...firstSeenBy(visibility) }
  const path = isOrganization ? apiPath`/orgs/${owner}/repos` : '/user/repos'
  const answer = await client.write('POST', path, impossible)
  const refused = missingBy(answer, [422], refusedTo(ADMINISTRATION, owner))
  if (refused !== null || !answer.ok) return refused
  // GitHub's text for members who may not create repositories comes with 422 too.
  const message = messageOf(answer.value)
  return /admin access|permission|not allowed to/i.test(message) ? message : null
}

/** A person's repositories are created by their own token alone. `null`: it is theirs. */
async function otherPerson(client: GitHubClient, owner: RepositoryOwner): Promise<string | null> {
  const alone = `only a token of ${owner} can create repositories for ${owner}`
  if (client.app !== null) return `${alone}, and an App cannot`
  const isOurs = await isOwnAccount(client, owner)
  if (!isOurs.ok) return failureText(isOurs.error)
  return isOurs.value ? null : `${alone}, and the token is another account's`
}

const WARN_BEFORE_DAYS = 14
const DAY_MS = 24 * 60 * 60_000

/** GitHub's header has `2026-10-07 19:07:53 UTC` or an offset such as `+0200`. Installation tokens and tokens without an end have none. */
async function checkTokenEnd(
  client: GitHubClient,
  gitops: RepositoryId,
  nowMs: number,
): Promise<readonly ConnectionFinding[]> {
  const answer = await client.read(pathOf(gitops))
  const header = answer.ok
    ? answer.value.headers.get('github-authentication-token-expiration')
    : null
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (UTC|[+-]\d{4})$/.exec(header ?? '') ?? []
  if (date === undefined || time === undefined || zone === undefined) return []
  const offset = zone === 'UTC' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const endsAt = Date.parse(`${date}T${time}${offset}`)
  const days = Math.floor((endsAt - nowMs) / DAY_MS)
  return [
    days < WARN_BEFORE_DAYS
      ? fails(`The token ends on ${date}, in ${Math.max(days, 0)} days: replace it before.`)
      : works(`The token ends on ${date}.`),
  ]
}
