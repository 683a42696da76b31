import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { withinDeadline } from '../../../../outbound/deadline.ts'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, type Result } from '../../../../result.ts'
import { type Answer, hostError } from '../../hosted/api/client.ts'
import type { Exchange, ExchangeFault } from '../../hosted/api/exchange.ts'
import { jsonAnswer } from '../../hosted/api/exchange.ts'
import { failureOfStatus } from '../../hosted/api/outage.ts'
import { rateLimited, UNSTATED_MS } from '../../hosted/api/rate-gate.ts'
import { refusalByLimit } from '../../hosted/api/rate-limit.ts'
import type { SenderOptions } from '../../hosted/api/sender.ts'

const DEADLINE_MS = 10_000
const BODY_MAX_BYTES = 1024 * 1024
export interface InstalledApp {
  /** The App's id or its client id. */
  readonly appId: string
  /** PEM of an RSA key, PKCS#1 or PKCS#8. */
  readonly privateKey: string
  readonly installationId: number
}

export interface AppOptions extends Pick<SenderOptions, 'clock'> {
  readonly root: string
  readonly headers: Readonly<Record<string, string>>
  readonly exchange: Exchange
}

export interface AppRequests {
  /** Asks about the App itself, with a JSON Web Token that its key signs. */
  ask(method: 'GET' | 'POST', path: string): Promise<Result<Answer, GitFailure>>
}

/** Requests of an App. Octokit signs them, and signs once more by GitHub's clock where ours is wrong. */
export function createAppRequests(
  { appId, privateKey }: InstalledApp,
  { root, headers, exchange, clock }: AppOptions,
): AppRequests {
  const octokit = new Octokit({
    baseUrl: root,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, log: { warn() {} } },
  })
  return {
    ask: (method, path) =>
      withinDeadline(DEADLINE_MS, async (signal) => {
        let last: Result<RawAnswer, ExchangeFault> | null = null
        try {
          await octokit.request({
            method,
            url: path,
            headers,
            request: {
              async fetch(url: string, init: { readonly headers: Record<string, string> }) {
                const { headers } = init
                const followsRedirects = method === 'GET'
                const sent = { method, url, headers, maxBytes: BODY_MAX_BYTES }
                last = await exchange({ ...sent, followsRedirects, signal })
                return responseOf(last)
              },
            },
          })
        } catch (error) {
          // Octokit throws for every refusal, and as a status 500 for every broken connection.
          if (last === null) throw error
        }
        return answerOf(last, { root, clock })
      }),
  }
}

/** For Octokit, which looks for a refusal because of the time. */
function responseOf(answer: Result<RawAnswer, ExchangeFault>): Response {
  if (!answer.ok) throw new Error('no answer')
  const { status, headers, bytes } = answer.value
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers })
}

function answerOf(
  raw: Result<RawAnswer, ExchangeFault> | null,
  { root, clock }: Pick<AppOptions, 'root' | 'clock'>,
): Result<Answer, GitFailure> {
  if (raw === null) return hostError('the App sent no request')
  if (!raw.ok) return err(raw.error.failure)
  const limit = refusalByLimit(raw.value, clock.now())
  if (limit !== null) return err(rateLimited(limit.statedMs ?? UNSTATED_MS))
  const answer = jsonAnswer(raw.value)
  if (!answer.ok) return err(answer.error.failure)
  const { status } = answer.value
  if (status === 401) {
    return err({ kind: 'git_denied', what: 'the id or the private key of the App was refused' })
  }
  return status >= 500 ? err(failureOfStatus(root, status)) : answer
}
