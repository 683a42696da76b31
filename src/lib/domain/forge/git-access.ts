import type { RepositoryId } from '../../names.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { PushRule } from '../../ports/forge.ts'
import type { Author } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { RequestFacts } from '../audit/audit.ts'
import { authorOf } from '../gitops/author.ts'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import type { RateLimited } from '../limits/rate-limits.ts'
import type { DeployTokens } from './deploy-tokens.ts'
import { deployTokenRule, type MergeRules, pushRuleFor } from './rights.ts'

export type GitAccessFailure =
  | { readonly kind: 'git_unauthorized' }
  /** The token does not allow pushes. */
  | { readonly kind: 'git_read_only' }
  | RateLimited
  | DatabaseFailure

/** A client of git, and what it may push. */
export interface GitClient {
  readonly who: Author
  readonly rule: PushRule
}

export interface GitAccessOptions {
  readonly deployTokens: Pick<DeployTokens, 'authenticate'>
  readonly rules: MergeRules
  readonly failures: FailedAttempts
  /** The person with this name and password, where people have passwords. */
  readonly personOf: (user: string, password: string) => Principal | undefined
}

export type GitAccess = ReturnType<typeof createGitAccess>

/** Who a client of git over HTTP is, by its `Authorization` header: a session is no password, since a browser can be made to send it. */
export const createGitAccess =
  ({ deployTokens, rules, failures, personOf }: GitAccessOptions) =>
  async (
    header: string | null,
    { repository, isPush }: { readonly repository: RepositoryId; readonly isPush: boolean },
    facts: RequestFacts,
  ): Promise<Result<GitClient, GitAccessFailure>> => {
    // Git asks without a password first.
    if (header === null) return err({ kind: 'git_unauthorized' })
    const credentials = credentialsIn(header)
    if (credentials !== undefined) {
      const { user, password } = credentials
      const person = personOf(user, password)
      if (person !== undefined)
        return ok({ who: authorOf(person), rule: pushRuleFor(person, rules) })
      const token = await deployTokens.authenticate(repository, password)
      if (!token.ok) return token
      if (token.value !== null) {
        const { id, name, access } = token.value
        if (isPush && access === 'read') return err({ kind: 'git_read_only' })
        const who = { name: `Deploy token ${name}`, email: `${id}@deploy-tokens.invalid` }
        return ok({ who, rule: deployTokenRule })
      }
    }
    const code = 'git_unauthorized'
    const counted = await failures.failed({ ...facts, result: 'denied', code })
    return counted.ok ? err({ kind: code }) : counted
  }

/** RFC 7617. */
function credentialsIn(header: string) {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,512})$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return { user, password: password.join(':') }
}
