import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Nullable } from '../../../../schema/nullable.ts'
import { type SecretStoreFailure, SERVICE } from '../../../../ports/secret-store.ts'
import { type ConnectionFinding, fails, works } from '../../../../ports/connection-finding.ts'
import { vaultPath } from '../api/client.ts'
import { failureText } from '../failure-text.ts'
import { LeaseSeconds } from '../login/own-token.ts'
import type { VaultCheckOptions } from './check.ts'
import { policyLine } from './needed-rights.ts'

/** Text of the store that is shown: a name, never free text. */
const Name = Type.String({ pattern: '^[-\\w.@:/]{1,128}$' })
const LookedUp = Compile(
  Type.Object({
    data: Type.Object({
      /** Path of the request that made the token, such as `auth/approle/login`. */
      path: Name,
      policies: Type.Array(Type.String()),
      renewable: Type.Optional(Type.Boolean()),
      /** Seconds. */
      ttl: LeaseSeconds,
      /** `null`: without end. */
      expire_time: Nullable(Type.String()),
    }),
  }),
)

const LOOK = 'read on auth/token/lookup-self'

interface LoginCheck {
  readonly works: boolean
  readonly findings: readonly ConnectionFinding[]
}

/** Looks at the token of the service. */
export async function checkLogin(calls: VaultCheckOptions['calls']): Promise<LoginCheck> {
  const answer = await calls.call(
    SERVICE,
    { method: 'GET', path: vaultPath`auth/token/lookup-self`, repeatable: true },
    LOOK,
  )
  if (!answer.ok) return { works: false, findings: [fails(failedText(answer.error))] }
  const { status, json } = answer.value
  if (status === 404) {
    return { works: false, findings: [fails('There is no such namespace: see VAULT_NAMESPACE.')] }
  }
  if (!LookedUp.Check(json)) {
    return { works: false, findings: [fails('The answer about the login is not that of Vault.')] }
  }
  const { path, policies, renewable = false, ttl, expire_time: end } = json.data
  const login = works(
    `Logged in by ${path}; the token ${end === null ? 'has no end' : endText(ttl, renewable)}.`,
  )
  const root = policies.includes('root')
    ? [works('Warning: the login is root. Give Portico a login with `deploy/vault/portico.hcl`.')]
    : []
  return { works: true, findings: [login, ...root] }
}

function failedText(failure: SecretStoreFailure): string {
  if (failure.kind !== 'secret_store_denied' || !failure.what.startsWith(LOOK)) {
    return `No login: ${failureText(failure)}.`
  }
  const line = policyLine('auth/token/lookup-self', ['read'])
  return `No login: the token is wrong or has ended, or it may not look at itself. ${line}`
}

function endText(seconds: number, renewable: boolean): string {
  const left = `ends in ${durationText(seconds)}`
  return renewable ? `${left} and is renewed before` : `${left} and cannot be renewed`
}

function durationText(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return `${Math.round(seconds)} s`
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
