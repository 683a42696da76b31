import { compactVerify, importSPKI } from 'jose'
import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, Refusal } from '../answer.ts'
import type { Call } from '../call.ts'
import { timeOf } from '../links.ts'
import { type Installation, type Rights, type State } from '../state.ts'
import { showAccount } from './accounts.ts'

/** An App's token may live ten minutes, and was issued at most this long from now. */
const LIFE_MAX_SECONDS = 600
const SKEW_SECONDS = 60

/** The App whose key signed this token; GitHub's refusals where none did. */
export async function authenticateApp(state: State, token: string): Promise<number> {
  for (const { appId, clientId, publicKey } of state.installations.values()) {
    const key = await importSPKI(publicKey, 'RS256')
    const verified = await compactVerify(token, key, { algorithms: ['RS256'] }).catch(() => null)
    if (verified === null) continue
    const { iss, iat, exp } = JSON.parse(new TextDecoder().decode(verified.payload)) as Claims
    if (String(iss) !== String(appId) && (clientId === undefined || iss !== clientId)) continue
    refuseTimes(state.now() / 1000, iat, exp)
    return appId
  }
  throw new Refusal(401, 'A JSON web token could not be decoded')
}

interface Claims {
  readonly iss?: unknown
  readonly iat?: unknown
  readonly exp?: unknown
}

function refuseTimes(now: number, iat: unknown, exp: unknown): void {
  const issued =
    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
  const future =
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
  if (typeof iat !== 'number' || iat > now + SKEW_SECONDS) throw new Refusal(401, issued)
  if (typeof exp !== 'number' || exp < now) throw new Refusal(401, future)
  if (exp > now + LIFE_MAX_SECONDS + SKEW_SECONDS)
    throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future")
}

function installationOf({ state, parameters }: Call, appId: number): Installation {
  const installation = state.installations.get(Number(parameters['installation_id']))
  if (installation?.appId !== appId) throw notFound()
  return installation
}

export function getInstallation(call: Call, appId: number): Answer {
  const { links } = call
  const installation = installationOf(call, appId)
  const { id, account, rights, repositories, suspended } = installation
  return {
    status: 200,
    body: {
      id,
      account: showAccount(links, account),
      repository_selection: repositories === 'all' ? 'all' : 'selected',
      app_id: appId,
      ...(installation.clientId !== undefined && { client_id: installation.clientId }),
      permissions: rights,
      suspended_by: suspended ? showAccount(links, account) : null,
      suspended_at: suspended ? timeOf(0) : null,
    },
  }
}

export function createInstallationToken(call: Call, appId: number): Answer {
  const { state, behaviour } = call
  const installation = installationOf(call, appId)
  if (installation.suspended) throw new Refusal(403, 'This installation has been suspended')
  const wanted = (call.body as { readonly permissions?: Rights } | undefined)?.permissions
  const token = `ghs_${crypto.randomUUID().replaceAll('-', '')}`
  const expiresAt = state.now() + behaviour.tokenLifeMs
  const rights = wanted ?? installation.rights
  state.credentials.set(token, {
    kind: 'installation',
    account: { id: 41_898_282, login: 'portico[bot]', type: 'Bot' },
    rights,
    repositories: installation.repositories,
    expiresAt,
  })
  return {
    status: 201,
    body: {
      token,
      expires_at: timeOf(expiresAt),
      permissions: rights,
      repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    },
  }
}
