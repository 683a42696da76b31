import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { orAbort } from '../../../../concurrency/or-abort.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import { type Answer, hostError, messageOf } from '../../hosted/api/client.ts'
import { createHostClient, type HostClientOptions } from '../../hosted/api/create-client.ts'
import type { Credentials } from '../../hosted/api/credentials.ts'
import { CREDENTIALS_REFUSED } from '../../hosted/api/outage.ts'
import { octokitExchange, type SigningApp } from './octokit-exchange.ts'

export interface InstalledApp extends SigningApp {
  readonly installationId: number
}

/** Octokit replaces it by the JSON Web Token of the App. */
const SIGNED_BY_OCTOKIT = ''
/** A log for Octokit that writes nothing: the caller logs why there is no token. */
const SILENT = { info() {}, warn() {}, error() {} }

export interface AppRequests {
  /** Asks about the App itself, with a JSON Web Token that its key signs. */
  ask(method: 'GET' | 'POST', path: string): GitAnswer<Answer>
}

/** Requests of an App, which have limits of their own. */
export function createAppRequests(
  { appId, privateKey }: SigningApp,
  options: Omit<HostClientOptions, 'credentials' | 'onRateLimit' | 'log'>,
): AppRequests {
  const app = { appId, privateKey }
  const client = createHostClient({
    ...options,
    exchange: octokitExchange(options, app),
    credentials: { current: async () => ok(SIGNED_BY_OCTOKIT), refused: () => false },
    onRateLimit() {},
    log: SILENT,
  })
  return {
    async ask(method, path) {
      const answer = await (method === 'GET' ? client.read(path) : client.write(method, path))
      if (answer.ok || answer.error.kind !== 'git_denied') return answer
      return answer.error === CREDENTIALS_REFUSED
        ? err({ kind: 'git_denied', what: 'the id or the private key of the App was refused' })
        : hostError('redirected a request of the App')
    },
  }
}

/** Installation tokens live for an hour. A request that begins within this time before the end may arrive after it. */
const RENEW_BEFORE_MS = 5 * 60_000
/** A token that seems to be over at once comes from a clock that is wrong; the host decides about it. */
const USED_AT_LEAST_MS = 60_000

const Token = Compile(Type.Object({ token: Type.String(), expires_at: Type.String() }))

/** The installation token of an App, made when it is needed, once for all who wait for it. */
export function installationCredentials(
  { installationId }: Pick<InstalledApp, 'installationId'>,
  app: AppRequests,
  clock: Clock,
): Credentials {
  let kept: { readonly value: string; readonly usedUntil: number } | null = null
  let flight: GitAnswer<string> | null = null

  async function make(): GitAnswer<string> {
    const answer = await app.ask('POST', `/app/installations/${installationId}/access_tokens`)
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status === 404) {
      return err({ kind: 'git_denied', what: `the App has no installation ${installationId}` })
    }
    if (status === 403) {
      return err({ kind: 'git_denied', what: `the App's installation: ${messageOf(answer.value)}` })
    }
    if (status !== 201 || !Token.Check(json)) {
      return hostError(`no installation token, answered with ${status}`)
    }
    const now = clock.now()
    const expiresAt = Date.parse(json.expires_at)
    const usedUntil = Math.max(expiresAt - RENEW_BEFORE_MS || 0, now + USED_AT_LEAST_MS)
    kept = { value: `Bearer ${json.token}`, usedUntil }
    return ok(kept.value)
  }

  return {
    async current(signal) {
      if (kept !== null && clock.now() < kept.usedUntil) return ok(kept.value)
      flight ??= make().finally(() => {
        flight = null
      })
      return orAbort(flight, signal)
    },
    refused(value) {
      if (kept?.value === value) kept = null
      return true
    },
  }
}
