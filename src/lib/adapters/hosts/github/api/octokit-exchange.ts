import { Octokit } from '@octokit/core'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import type { Result } from '../../../../result.ts'
import type { Exchange, ExchangeFault } from '../../hosted/api/exchange.ts'

/**
 * Exchanges that Octokit composes. It gets no answer to read: it takes a cut-off body for an empty one, a deadline for a status 500 of
 * GitHub, and throws 304.
 */
export function octokitExchange(exchange: Exchange): Exchange {
  const octokit = new Octokit()
  return async (request) => {
    const { method, url, headers, body } = request
    let answer: Result<RawAnswer, ExchangeFault> | null = null
    await octokit.request({
      method,
      url,
      headers: { ...headers },
      ...(body !== undefined && { data: body }),
      request: {
        async fetch(url: string, init: Composed) {
          const { headers, body } = init
          answer = await exchange({ ...request, url, headers, ...(body !== undefined && { body }) })
          return new Response(null, { status: 204 })
        },
      },
    })
    return answer ?? unsent()
  }
}

interface Composed {
  readonly headers: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

function unsent(): never {
  throw new Error('Octokit has sent nothing')
}
