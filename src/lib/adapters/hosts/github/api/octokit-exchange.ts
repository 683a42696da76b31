import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import type { Result } from '../../../../result.ts'
import type { HostClientOptions } from '../../hosted/api/create-client.ts'
import { createExchange, type Exchange, type ExchangeFault } from '../../hosted/api/exchange.ts'

/** An App, by whose key requests are signed. */
export interface SigningApp {
  /** The App's id or its client id. */
  readonly appId: string
  /** PEM of an RSA key, PKCS#1 or PKCS#8. */
  readonly privateKey: string
}

/**
 * Exchanges that Octokit composes. It gets no answer to read: it takes a cut-off body for an empty one, a deadline for a status 500 of
 * GitHub, and throws 304. Where it signs for an App it sees the answers, and signs once more by GitHub's clock where ours is wrong.
 */
export function octokitExchange(
  { authority, root }: Pick<HostClientOptions, 'authority' | 'root'>,
  app: SigningApp | null = null,
): Exchange {
  const exchange = createExchange(authority)
  const auth = { ...app, log: { warn() {} } }
  const octokit = new Octokit({
    baseUrl: root,
    ...(app !== null && { authStrategy: createAppAuth, auth }),
  })
  return async (request) => {
    const { method, url, headers, body } = request
    let answer: Result<RawAnswer, ExchangeFault> | null = null
    try {
      await octokit.request({
        method,
        url,
        headers: { ...headers },
        ...(body !== undefined && { data: body }),
        request: {
          async fetch(url: string, init: Composed) {
            const { headers, body } = init
            const composed = { ...request, url, headers, ...(body !== undefined && { body }) }
            answer = await exchange(composed)
            return app === null ? new Response(null, { status: 204 }) : responseOf(answer)
          },
        },
      })
    } catch (error) {
      // It throws for every refusal that it sees, and as a status 500 for every broken connection.
      if (answer === null) throw error
    }
    return answer ?? unsent()
  }
}

interface Composed {
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

function responseOf(answer: Result<RawAnswer, ExchangeFault>): Response {
  if (!answer.ok) throw new Error('no answer')
  const { status, headers, bytes } = answer.value
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers })
}

function unsent(): never {
  throw new Error('Octokit has sent nothing')
}
