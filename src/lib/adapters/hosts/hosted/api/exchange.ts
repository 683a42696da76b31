import {
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
  async ({ followsRedirects, ...request }) => {
    const { origin } = new URL(request.url)
    const send = async ({ href: url }: URL) => {
      const answer = await exchange({ ...request, url }, authority)
      return answer.ok ? answer : err(hostFault(answer.error, url))
    }
    const refusalOf = (target: URL) =>
      target.origin === origin ? null : 'a redirect to another origin'
    const answer = await (followsRedirects
      ? following(new URL(request.url), refusalOf, send)
      : send(new URL(request.url)))
    return answer.ok
      ? ok(withoutToken(answer.value, request.headers['authorization'] ?? ''))
      : answer
  }

/**
 * Sends a request, and again to where its redirects lead. `refusalOf`: why none may lead to a target. A redirect's URL may carry a signature,
 * so that no failure contains a URL.
 */
export async function following<Answer extends RawAnswer>(
  start: URL,
  refusalOf: (target: URL) => string | null,
  send: (url: URL) => Promise<Result<Answer, ExchangeFault>>,
): Promise<Result<Answer, ExchangeFault>> {
  let url = start
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const answer = await send(url)
    if (!answer.ok || !MOVED.has(answer.value.status)) return answer
    const target = redirectTarget(url.href, answer.value.headers.get('location'))
    if (!target.ok) return err(unusable(target.error))
    const refusal = refusalOf(target.value)
    if (refusal !== null) return err(unusable({ reason: refusal, isPassing: false }))
    url = target.value
  }
  return err(unusable({ reason: 'too many redirects', isPassing: false }))
}

/** Hosts and proxies quote requests that they refuse. Messages of refusals are shown to operators and logged. */
function withoutToken(answer: RawAnswer, authorization: string): RawAnswer {
  const token = authorization.slice(authorization.indexOf(' ') + 1)
  if (token === '' || answer.status < 400 || !answer.bytes.includes(token)) return answer
  const text = answer.bytes.toString('latin1').replaceAll(token, '***')
  return { ...answer, bytes: Buffer.from(text, 'latin1') }
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
const unusable = ({ reason, isPassing }: Omit<BrokenAnswer, 'kind'>): ExchangeFault => ({
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
