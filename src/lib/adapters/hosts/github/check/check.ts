import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId } from '../../../../names.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import type { GitFailure, RepositoryUses } from '../../../../ports/git-host.ts'
import type { Result } from '../../../../result.ts'
import { type Answer, apiPath } from '../../hosted/api/client.ts'
import { failureText } from '../../../../ports/git-host/failure-text.ts'
import { checkOwner } from './owner.ts'
import type { GitHubClient } from '../api/client.ts'
import { gitHubRefusal } from '../api/refusal.ts'

/** Members of an installation that are read. */
const Installation = Compile(
  Type.Object({ suspended_at: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
)
/** Members of a repository that are read. */
const Repository = Compile(
  Type.Object({
    full_name: Type.String(),
    default_branch: Type.String(),
    archived: Type.Optional(Type.Boolean()),
  }),
)
const Branch = Compile(Type.Object({ protected: Type.Optional(Type.Boolean()) }))
const Rules = Compile(Type.Array(Type.Object({ type: Type.String() })))

/** Rules that refuse a commit of ours ("Available rules for rulesets"). Others, such as `deletion`, do not. */
const BINDING_RULES = new Set(['pull_request', 'required_status_checks', 'merge_queue', 'update'])

type Findings = Promise<readonly ConnectionFinding[]>

/**
 * Tries each right of `uses` with a request that GitHub refuses for its contents where the right is there, or that leaves nothing
 * behind that anybody sees.
 */
export async function checkGitHub(
  client: GitHubClient,
  { gitops, owners, templates, cli }: RepositoryUses,
  clock: Clock,
): Findings {
  const installation = await checkInstallation(client)
  if (installation?.ok === false) return [installation]
  const readOnly = new Map([templates, cli].flatMap((id) => (id ? [[nameOf(id), id]] : [])))
  readOnly.delete(nameOf(gitops))
  const known = [gitops, ...readOnly.values()]
  const findings = await Promise.all([
    checkGitops(client, gitops, clock),
    ...[...readOnly.values()].map((id) => checkReadable(client, id)),
    ...owners.map((owner) => checkOwner(client, owner, known)),
  ])
  return [...(installation === null ? [] : [installation]), ...findings.flat()]
}

const nameOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`

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

async function checkGitops(client: GitHubClient, id: RepositoryId, clock: Clock): Findings {
  const name = nameOf(id)
  const answer = await client.read(apiPath`/repos/${id.owner}/${id.name}`)
  if (!answer.ok) return [fails(`${name}: ${failureText(answer.error)}.`)]
  const { status, headers, json } = answer.value
  if (status === 404) {
    const seen =
      client.app === null ? 'the token does not show it' : 'the App is not installed there'
    return [fails(`GitHub has no repository ${name}, or ${seen}.`)]
  }
  if (status !== 200 || !Repository.Check(json)) {
    return [missing('metadata: read', name, answer.value)]
  }
  const end = tokenEndFinding(headers, clock.now())
  const ended = end === null ? [] : [end]
  if (json.full_name.toLowerCase() !== name.toLowerCase()) {
    const advice = 'GITOPS_REPOSITORY must have the new name'
    return [
      ...ended,
      fails(`${name} was renamed to ${json.full_name}: writes are refused. ${advice}.`),
    ]
  }
  if (json.archived === true) {
    const advice = 'Unarchive it, or name another one in GITOPS_REPOSITORY'
    return [...ended, fails(`${name} is archived: writes are refused. ${advice}.`)]
  }
  const findings = await Promise.all([
    checkContents(client, id),
    checkPullRequests(client, id, json.default_branch),
    checkProtection(client, id, json.default_branch),
  ])
  return [...ended, ...findings]
}

/** "Create a blob": an object that no commit has is seen by nobody. 409: a repository without a commit. */
const checkContents = async (client: GitHubClient, id: RepositoryId) =>
  judge(
    'contents: write',
    nameOf(id),
    await client.write('POST', apiPath`/repos/${id.owner}/${id.name}/git/blobs`, {
      content: '',
      encoding: 'utf-8',
    }),
    [201, 409],
  )

/** "Create a pull request": of a branch that does not exist it is 422 for those who may create one. */
const checkPullRequests = async (client: GitHubClient, id: RepositoryId, base: string) =>
  judge(
    'pull_requests: write',
    nameOf(id),
    await client.write('POST', apiPath`/repos/${id.owner}/${id.name}/pulls`, {
      title: 'A check of rights',
      head: `portico/check/${crypto.randomUUID()}`,
      base,
    }),
    [422],
  )

/** "Get a branch" and "Get rules for a branch". Enterprise Server may have no rules. */
async function checkProtection(
  client: GitHubClient,
  id: RepositoryId,
  branch: string,
): Promise<ConnectionFinding> {
  const repository = apiPath`/repos/${id.owner}/${id.name}`
  const [found, rules] = await Promise.all([
    client.read(`${repository}${apiPath`/branches/${branch}`}`),
    client.read(`${repository}${apiPath`/rules/branches/${branch}`}`, { query: { per_page: 100 } }),
  ])
  const name = `the branch ${branch} of ${nameOf(id)}`
  if (!found.ok) return fails(`${name}: ${failureText(found.error)}.`)
  const isProtected = Branch.Check(found.value.json) && found.value.json.protected === true
  const isRuled =
    rules.ok &&
    Rules.Check(rules.value.json) &&
    rules.value.json.some(({ type }) => BINDING_RULES.has(type))
  return works(
    isProtected || isRuled
      ? `Protected: ${name}. Where its rules refuse a commit of Portico, confirmations open a pull request.`
      : `Not protected: ${name}. Confirmations are committed to it.`,
  )
}

/** Checks a repository that is only read. One that is missing is reported by its reader. */
async function checkReadable(client: GitHubClient, id: RepositoryId): Findings {
  const answer = await client.read(apiPath`/repos/${id.owner}/${id.name}`)
  if (!answer.ok) return [fails(`${nameOf(id)}: ${failureText(answer.error)}.`)]
  const { status, json } = answer.value
  if (status === 404) return []
  if (status !== 200 || !Repository.Check(json)) {
    return [missing('metadata: read', nameOf(id), answer.value)]
  }
  const branch = await client.read(
    apiPath`/repos/${id.owner}/${id.name}/branches/${json.default_branch}`,
  )
  return [judge('contents: read', nameOf(id), branch, [200, 404])]
}

/** The finding about a right: the status of an answer shows whether it is there. */
function judge(
  right: string,
  subject: string,
  answer: Result<Answer, GitFailure>,
  allowed: readonly number[],
): ConnectionFinding {
  if (!answer.ok) return fails(`${right} on ${subject}: ${failureText(answer.error)}.`)
  return allowed.includes(answer.value.status)
    ? works(`The credentials have ${right} on ${subject}.`)
    : missing(right, subject, answer.value)
}

function missing(right: string, repository: string, answer: Answer): ConnectionFinding {
  const failure = gitHubRefusal(answer, { repository, right })
  // Classic tokens without the scope, and people without the permission, get 404.
  return failure.kind === 'git_not_found'
    ? fails(`The credentials lack ${right} on ${repository}.`)
    : fails(`The credentials lack a right: ${failureText(failure)}.`)
}

const WARN_BEFORE_DAYS = 14
const DAY_MS = 24 * 60 * 60_000

/** GitHub's header has `2026-10-07 19:07:53 UTC` or an offset such as `+0200`. Installation tokens and tokens without an end have none. */
function tokenEndFinding(headers: Headers, nowMs: number): ConnectionFinding | null {
  const header = headers.get('github-authentication-token-expiration') ?? ''
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (UTC|[+-]\d{4})$/.exec(header) ?? []
  if (date === undefined || time === undefined || zone === undefined) return null
  const offset = zone === 'UTC' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const endsAt = Date.parse(`${date}T${time}${offset}`)
  const days = Math.floor((endsAt - nowMs) / DAY_MS)
  return days < WARN_BEFORE_DAYS
    ? fails(`The token ends on ${date}, in ${Math.max(days, 0)} days: replace it before.`)
    : works(`The token ends on ${date}.`)
}
