import { withinDeadline } from '../../../../outbound/deadline.ts'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import type { GitAnswer, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import type { Credentials } from './credentials.ts'
import { CREDENTIALS_REFUSED, failureOfStatus, isUnavailable } from './outage.ts'
import { rateLimited, UNSTATED_MS } from './rate-gate.ts'
import { refusalByLimit } from './rate-limit.ts'
import { openStream } from './stream.ts'

/** Until the body begins, redirects included. The reader bounds the body itself. */
const HEADERS_TIMEOUT_MS = 15_000

export interface AssetRequest {
  readonly url: URL
  /** Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>
  /** Certificate authority of the origin of `url` and of hosts below its name, PEM. `null`, and for others: the system's. */
  readonly authority: string | null
  readonly timeoutMs?: number
}

/** The bytes of a release asset for whoever has credentials; once more with newer ones when they are refused. */
export async function openAssetWith(
  credentials: Credentials,
  { headers = {}, ...request }: Omit<AssetRequest, 'headers'> & Partial<AssetRequest>,
  signal: AbortSignal,
): GitAnswer<ReadableStream<Uint8Array>> {
  for (let isRenewed = false; ; isRenewed = true) {
    const authorization = await credentials.current(signal)
    if (!authorization.ok) return authorization
    const { value } = authorization
    const sent = { ...request, headers: { ...headers, authorization: value } }
    const opened = await openAssetOverHttp(sent, signal)
    const isRefused = !opened.ok && opened.error === CREDENTIALS_REFUSED
    if (!isRefused || isRenewed || !credentials.refused(value)) return opened
  }
}

/** The bytes of a release asset, not decompressed. */
export async function openAssetOverHttp(
  { url, headers, authority, timeoutMs = HEADERS_TIMEOUT_MS }: AssetRequest,
  signal: AbortSignal,
): GitAnswer<ReadableStream<Uint8Array>> {
  const opened = await withinDeadline(timeoutMs, (late) =>
    openStream(
      {
        url: url.href,
        headers: { ...headers, accept: 'application/octet-stream' },
        signal: AbortSignal.any([signal, late]),
      },
      authority,
    ),
  )
  if (!opened.ok) return err(opened.error.failure)
  const { status, body } = opened.value
  if (status === 200 && body !== null) return ok(body)
  await body?.cancel()
  return err(failureOf(url, opened.value))
}

function failureOf(url: URL, answer: RawAnswer): GitFailure {
  const { status } = answer
  if (status === 404 || status === 410) return { kind: 'git_not_found', what: 'asset' }
  const limit = refusalByLimit(answer, Date.now())
  if (limit !== null) return rateLimited(limit.statedMs ?? UNSTATED_MS)
  if (status === 401) return CREDENTIALS_REFUSED
  if (status === 403) return { kind: 'git_denied', what: 'the asset' }
  if (isUnavailable(status)) return failureOfStatus(url.href, status)
  return { kind: 'git_host_error', reason: `the asset was answered with ${status}` }
}
