import type { RepositoryId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { PushRule } from '../../ports/forge.ts'
import type { Author } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { GrantLookup } from '../access/grants/find-grant.ts'
import { isGrantToken } from '../access/grants/grant-token.ts'
import type { Scope } from '../access/grants/scope.ts'
import type { Principal } from '../access/principal.ts'
import type { RenewalFailure } from '../access/sessions/session-renewal.ts'
import type { Audit, RequestFacts } from '../audit/audit.ts'
import { authorOf } from '../gitops/requesters.ts'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import type { RateLimited } from '../limits/rate-limits.ts'
import type { Usage } from '../limits/usage.ts'
import type { DeployTokens } from './deploy-tokens.ts'
import { deployTokenRule, type MergeRules, pushRuleFor } from './rights.ts'

export type GitAccessFailure =
  | { readonly kind: 'git_unauthorized' }
  /** The token does not allow pushes. */
  | { readonly kind: 'git_read_only' }
  | { readonly kind: 'insufficient_scope'; readonly scopes: readonly Scope[] }
  | RenewalFailure
  | RateLimited

/** A client of git, and what it may push. */
export interface GitClient {
  readonly who: Author
  readonly rule: PushRule
  /** The audit row of a push by a grant: begun before its first effect unless its person writes too much, and ended once, with the refs that have moved. */
  readonly record: {
    begin(): Promise<Result<void, DatabaseFailure | RateLimited>>
    end(moved: readonly string[]): Promise<unknown>
  } | null
}

export interface GitAccessOptions {
  readonly deployTokens: Pick<DeployTokens, 'authenticate'>
  readonly rules: MergeRules
  readonly failures: FailedAttempts
  /** The person with this name and password, where people have passwords. */
  readonly personOf: (user: string, password: string) => Principal | undefined
  readonly findGrant: (token: string, request: RequestFacts) => Promise<GrantLookup>
  /** The service that the tokens of grants are for. */
  readonly resource: string
  readonly audit: Pick<Audit, 'decide'>
  readonly usage: Usage
}

export type GitAccess = ReturnType<typeof createGitAccess>

interface GitVisit {
  readonly repository: RepositoryId
  readonly isPush: boolean
}

/** Who a client of git over HTTP is, by its `Authorization` header: a session is no password, since a browser can be made to send it. */
export function createGitAccess({
  deployTokens,
  rules,
  failures,
  personOf,
  findGrant,
  resource,
  audit,
  usage,
}: GitAccessOptions) {
  /** The person whom the command line acts for; `undefined`: the password is no token of it. */
  async function byGrant(
    password: string,
    { repository, isPush }: GitVisit,
    facts: RequestFacts,
  ): Promise<Result<GitClient, GitAccessFailure> | undefined> {
    if (!isGrantToken('access', password)) return undefined
    const found = await findGrant(password, facts)
    if (found.kind === 'unavailable') {
      return err({ kind: 'database_unavailable', reason: 'session store' })
    }
    // Agents and jobs act by the routes that have a scope, and by nothing else.
    if (found.kind === 'invalid' || found.grant.kind !== 'cli') return undefined
    const { grant, session, unrenewed } = found
    if (grant.resource !== resource) return undefined
    const scope = isPush ? 'promotion:write' : 'catalog:read'
    if (!grant.scopes.includes(scope)) return err({ kind: 'insufficient_scope', scopes: [scope] })
    if (isPush && unrenewed !== null) return err(unrenewed)
    const { principal } = session
    const own = pushRuleFor(principal, rules)
    const refs: string[] = []
    let isRefused = false
    const rule: PushRule = (pushed) => {
      // A program proposes: whatever its person may merge, a person merges.
      const reason = deployTokenRule(pushed) ?? own(pushed)
      isRefused ||= reason !== null
      if (refs.length < REFS_ON_RECORD_MAX) refs.push(pushed.ref)
      return reason
    }
    const decision = audit.decide(principal)
    const { owner, name } = repository
    const entry = { ...facts, action: 'repository.push', target: `repository/${owner}/${name}` }
    const record: GitClient['record'] = {
      async begin() {
        const taken = await usage.take('write', principal, facts)
        return taken.ok ? decision.begin(entry) : taken
      },
      end(moved) {
        const outcome =
          moved.length > 0
            ? ({ result: 'done' } as const)
            : isRefused
              ? ({ result: 'denied', code: 'forbidden' } as const)
              : ({ result: 'failed', code: 'git_push_failed' } as const)
        const shown = (moved.length > 0 ? moved : refs)
          .slice(0, REFS_ON_RECORD_MAX)
          .map((ref) => ref.slice(0, REF_CHARACTERS_MAX))
        return decision.end({ ...entry, ...outcome, details: { refs: shown } })
      },
    }
    return ok({ who: authorOf(principal), rule, record })
  }

  return async function gitAccess(
    header: string | null,
    visit: GitVisit,
    { requestId, address }: RequestFacts,
  ): Promise<Result<GitClient, GitAccessFailure>> {
    const facts = { requestId, address }
    // Git asks without a password first.
    if (header === null) return err({ kind: 'git_unauthorized' })
    const credentials = credentialsIn(header)
    if (credentials !== undefined) {
      const { user, password } = credentials
      const person = personOf(user, password)
      if (person !== undefined) {
        return ok({ who: authorOf(person), rule: pushRuleFor(person, rules), record: null })
      }
      const granted = await byGrant(password, visit, facts)
      if (granted !== undefined) return granted
      const token = await deployTokens.authenticate(visit.repository, password)
      if (!token.ok) return token
      if (token.value !== null) {
        const { id, name, access } = token.value
        if (visit.isPush && access === 'read') return err({ kind: 'git_read_only' })
        const who = { name: `Deploy token ${name}`, email: `${id}@deploy-tokens.invalid` }
        return ok({ who, rule: deployTokenRule, record: null })
      }
    }
    const code = 'git_unauthorized'
    const counted = await failures.failed({ ...facts, result: 'denied', code })
    return counted.ok ? err({ kind: code }) : counted
  }
}

const REFS_ON_RECORD_MAX = 20
const REF_CHARACTERS_MAX = 200

/** RFC 7617. */
function credentialsIn(header: string) {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,512})$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return { user, password: password.join(':') }
}
