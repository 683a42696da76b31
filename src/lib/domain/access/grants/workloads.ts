import { createHash } from 'node:crypto'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { UsedTokenStore } from '../../../ports/database/used-tokens.ts'
import type { IdentityFailure, Principal } from '../../../ports/identity.ts'
import type {
  WorkloadClaims,
  WorkloadTokenInvalid,
  WorkloadTokens,
} from '../../../ports/workload-tokens.ts'
import { err, type Result } from '../../../result.ts'
import type { RequestFacts } from '../../audit/audit.ts'
import { managersOf } from '../principal.ts'
import { hashOfToken } from '../sessions/session-token.ts'
import type { Grant } from './grant.ts'
import type { Grants, IssuedTokens, OAuthFailure } from './grants.ts'
import { parseScopes, type Scope } from './scope.ts'
import type { WorkloadRule } from './workload-rule.ts'

/** The grant type of RFC 7523 §2.1. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** A job's request for an access token (RFC 7523 §2.1). */
export interface WorkloadRequest {
  /** The OpenID token of the job. */
  readonly assertion: string
  /** Name of the rule. */
  readonly clientId: string
  /** Scopes of the rule that it asks for; `null` for all of them. */
  readonly scope: string | null
  readonly resource: string | null
}

export type WorkloadFailure = OAuthFailure | DatabaseFailure | IdentityFailure

export type WorkloadRefused =
  | WorkloadTokenInvalid
  /** `claim` differs from the rule's. */
  | { readonly kind: 'workload_claim_differs'; readonly claim: string }
  | { readonly kind: 'workload_token_used' }

export interface WorkloadsOptions {
  readonly rules: () => readonly WorkloadRule[]
  readonly tokens: WorkloadTokens
  readonly usedTokens: Pick<UsedTokenStore, 'use'>
  readonly grants: Pick<Grants, 'openForWorkload'>
  /** The services that tokens can be for; the first is the default. */
  readonly resources: readonly [string, string]
  /** Tells the operator why a job was refused; the job is told no more than that its token does not fit. */
  readonly onRefused: (rule: string, why: WorkloadRefused) => void
}

export type Workloads = ReturnType<typeof createWorkloads>

/** Jobs of CI systems and clusters that act for a team by a rule, with an OpenID token of their own in place of a secret. */
export function createWorkloads({
  rules,
  tokens,
  usedTokens,
  grants,
  resources,
  onRefused,
}: WorkloadsOptions) {
  function refuse(rule: string, why: WorkloadRefused) {
    onRefused(rule, why)
    return INVALID_GRANT
  }

  return {
    async exchange(
      { assertion, clientId, scope, resource: asked }: WorkloadRequest,
      request: RequestFacts,
    ): Promise<Result<IssuedTokens, WorkloadFailure>> {
      const rule = rules().find(({ name }) => name === clientId)
      if (rule === undefined) return refusal('invalid_client')
      const scopes = scope === null ? rule.scopes : parseScopes(scope)
      const areScopes = scopes?.every((one) => rule.scopes.includes(one)) ?? false
      if (scopes === undefined || scopes.length === 0 || !areScopes) return refusal('invalid_scope')
      const resource = asked ?? resources[0]
      if (!resources.includes(resource)) return refusal('invalid_target')

      const verified = await tokens.verify(assertion, rule, rule.audience)
      if (!verified.ok) {
        const { error } = verified
        return error.kind === 'workload_token_invalid' ? refuse(rule.name, error) : err(error)
      }
      const { claims, expiresAt } = verified.value
      const claim = differing(rule, claims)
      if (claim !== undefined) return refuse(rule.name, { kind: 'workload_claim_differs', claim })
      const id = hashOfToken(`${rule.issuer} ${idOf(claims, assertion)}`)
      const used = await usedTokens.use(`workload/${id}`, expiresAt)
      if (!used.ok) return used
      if (!used.value) return refuse(rule.name, { kind: 'workload_token_used' })
      return grants.openForWorkload(
        {
          principal: principalOf(rule),
          grant: grantOf(rule, scopes, resource),
          lastsMs: rule.minutes * 60_000,
        },
        request,
      )
    },
  }
}

/** Whether the rule of a workload's grant is still there, and what it was. */
export const isGivenBy = (rules: readonly WorkloadRule[], { clientId, rule }: Grant): boolean =>
  rules.some((each) => each.name === clientId && digestOf(each) === rule)

const digestOf = (rule: WorkloadRule): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('base64url')

/** The claim of a rule that a token lacks or that differs. Numbers and flags are compared as text. */
const differing = ({ claims: stated }: WorkloadRule, claims: WorkloadClaims): string | undefined =>
  Object.entries(stated).find(([name, value]) => {
    const given = Object.hasOwn(claims, name) ? claims[name] : undefined
    const isText =
      typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
    return !isText || String(given) !== value
  })?.[0]

/** A token without an id is known by what was signed: the same signature can be written in several ways. */
const idOf = ({ jti }: WorkloadClaims, assertion: string): string =>
  typeof jti === 'string' && jti !== '' ? jti : assertion.slice(0, assertion.lastIndexOf('.'))

/** The actor is the rule: whoever started the job is in the log of the CI system. */
function principalOf({ name, issuer, team, isManager }: WorkloadRule): Principal {
  const subject = `workload:${name}`
  const names = isManager ? [team, managersOf(team)] : [team]
  return { issuer, subject, name: subject, email: null, groups: { kind: 'known', names } }
}

const grantOf = (rule: WorkloadRule, scopes: readonly Scope[], resource: string): Grant => {
  const { name, team, environments } = rule
  return {
    kind: 'workload',
    clientId: name,
    clientName: name,
    scopes: [...scopes],
    teams: [team],
    ...(environments !== null && { environments: [...environments] }),
    rule: digestOf(rule),
    resource,
    redirectUri: '',
    codeChallenge: '',
  }
}

const refusal = (error: OAuthFailure['error']) => err({ kind: 'oauth', error } as const)
const INVALID_GRANT = refusal('invalid_grant')
