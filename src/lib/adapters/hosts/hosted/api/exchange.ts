import {
  broken,
  type BrokenAnswer,
  exchange,
  type OutboundFault,
  type OutboundRequest,
  type RawAnswer,
} from '../../../../outbound/exchange.ts'
import { jsonBody } from '../../../../outbound/json-body.ts'
import { MOVED, redirectTarget } from '../../../../outbound/redirect.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { type Answer, hostError } from './client.ts'
import { failureOfConnection } from './outage.ts'

const REDIRECTS_MAX = 5

export interface HostRequest extends OutboundRequest {
  readonly followsRedirects: boolean
}

export interface ExchangeFault {
  readonly failure: GitFailure
  /** The same request may succeed a moment later. */
  readonly isPassing: boolean
}

/** One HTTP request and its whole answer, whatever the status. */
export type Exchange = (request: HostRequest) => Promise<Result<RawAnswer, ExchangeFault>>

/** Exchanges with a git host. Redirects are followed within the origin of the request. A refusal does not quote the credentials of its request. */
export const createExchange =
  (authority: string | null): Exchange =>
  async (request) => {
    const answer = await exchangeFollowing(request, authority)
    return answer.ok
      ? ok(withoutToken(answer.value, request.headers['authorization'] ?? ''))
      : err(hostFault(answer.error, request.url))
  }

/** Hosts and proxies quote requests that they refuse. Messages of refusals are shown to operators and logged. */
function withoutToken(answer: RawAnswer, authorization: string): RawAnswer {
  const token = authorization.slice(authorization.indexOf(' ') + 1)
  if (token === '' || answer.status < 400 || !answer.bytes.includes(token)) return answer
  const text = answer.bytes.toString('latin1').replaceAll(token, '***')
  return { ...answer, bytes: Buffer.from(text, 'latin1') }
}

async function exchangeFollowing(
  { followsRedirects, ...request }: HostRequest,
  authority: string | null,
): Promise<Result<RawAnswer, OutboundFault>> {
  let { url } = request
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const answer = await exchange({ ...request, url }, authority)
    if (!answer.ok || !followsRedirects || !MOVED.has(answer.value.status)) return answer
    const next = redirectTarget(url, answer.value.headers.get('location'))
    if (!next.ok) return next
    if (next.value.origin !== new URL(url).origin) return broken('a redirect to another origin')
    url = next.value.href
  }
  return broken('too many redirects')
}

/** A fault of the exchange with `url` as a failure of the git host. */
export function hostFault(fault: OutboundFault, url: string): ExchangeFault {
  switch (fault.kind) {
    case 'timeout':
      return { failure: { kind: 'git_host_timeout' }, isPassing: false }
    case 'unreachable': {
      const { code, isPassing } = fault
      return code === null
        ? { failure: { kind: 'git_host_unreachable' }, isPassing }
        : { failure: failureOfConnection(url, code), isPassing }
    }
    case 'broken':
      return unusable(fault)
    case 'too_large':
      return { failure: tooLarge(fault.maxBytes), isPassing: false }
  }
}

/** The failure for an answer that cannot be used. */
export const unusable = ({ reason, isPassing }: BrokenAnswer): ExchangeFault => ({
  failure: hostError(reason).error,
  isPassing,
})

/** The failure for a body that was not read to its end. */
const tooLarge = (maxBytes: number) => hostError(`an answer of more than ${maxBytes} bytes`).error

/** An answer with its JSON. */
export function jsonAnswer(answer: RawAnswer): Result<Answer, ExchangeFault> {
  const json = jsonBody(answer)
  if (!json.ok) return err(unusable(json.error))
  return ok({ status: answer.status, headers: answer.headers, json: json.value })
}
