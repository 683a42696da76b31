import { exchange, type OutboundRequest } from '../../../../outbound/exchange.ts'
import { MOVED, redirectTarget } from '../../../../outbound/redirect.ts'
import { err, type Result } from '../../../../result.ts'
import { VERSION } from '../../../../../version.ts'
import type { SecretStoreMeans } from '../../means.ts'
import { createAddresses } from './addresses.ts'
import { answerOf } from './answer.ts'
import type { VaultAnswer, VaultClient, VaultRequest } from './client.ts'
import { faultOfExchange, foreignRedirect, unusable, type VaultFault } from './fault.ts'
import { healthOf } from './health.ts'
import { createSend } from './sender.ts'
import { createStorageIndex } from './storage-index.ts'

/** For one call, over all that it asks the store for. */
export const DEADLINE_MS = 10_000
/** For one address: the connection check ends in time with a finding about each. */
const HEALTH_DEADLINE_MS = 3_000
const PAUSE_MS = 100
const ANSWER_MAX_BYTES = 1024 * 1024
const REDIRECTS_MAX = 3
const COMMON_HEADERS = { 'user-agent': `portico/${VERSION}`, 'x-vault-request': 'true' }
/** Anything else is no token, and would break out of the header or be quoted by the error of `fetch`. */
const TOKEN = /^[\x21-\x7e]+$/

export interface VaultClientOptions extends Pick<SecretStoreMeans, 'log' | 'clock'> {
  /** Base URLs of the nodes, tried in order. */
  readonly addresses: readonly URL[]
  /** `null`: the root namespace. */
  readonly namespace: string | null
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  /** For one call, over all addresses and repetitions. */
  readonly deadlineMs?: number
  /** Before the first repetition; the following pauses are longer. */
  readonly pauseMs?: number
}

/** The API of Vault or OpenBao over HTTP. */
export function createVaultClient({
  addresses: urls,
  namespace,
  authority,
  log,
  clock,
  deadlineMs = DEADLINE_MS,
  pauseMs = PAUSE_MS,
}: VaultClientOptions): VaultClient {
  const addresses = createAddresses(urls, { log, clock })
  const storageIndex = createStorageIndex()
  const send = createSend({ addresses, deadlineMs, pauseMs, attempt })

  /** Redirects of standby nodes keep method and body, and lead to configured addresses alone: they carry the token. */
  async function attempt(
    address: URL,
    request: VaultRequest,
    signal: AbortSignal,
  ): Promise<Result<VaultAnswer, VaultFault>> {
    let url = urlOf(address, request.path)
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const { headers, ...message } = messageOf(request, namespace)
      const sent = { ...message, headers: { ...headers, ...storageIndex.headers() } }
      const limits = { signal, maxBytes: ANSWER_MAX_BYTES }
      const raw = await exchange({ ...sent, ...limits, url: url.href }, authority)
      // A read may be answered by a node that is behind the last write.
      if (raw.ok && request.method !== 'GET') storageIndex.note(raw.value.headers)
      if (raw.ok && MOVED.has(raw.value.status)) {
        const next = redirectTarget(url.href, raw.value.headers.get('location'))
        if (!next.ok) return err(faultOfExchange(next.error))
        if (!addresses.has(next.value.origin)) return noted(url, err(foreignRedirect))
        url = next.value
      } else {
        return noted(url, raw.ok ? answerOf(raw.value) : err(faultOfExchange(raw.error)))
      }
    }
    return err(unusable('too many redirects'))
  }

  function noted<Outcome extends Result<VaultAnswer, VaultFault>>(url: URL, outcome: Outcome) {
    if (outcome.ok) addresses.works(url.origin)
    else if (outcome.error.outage !== null) addresses.fails(url.origin, outcome.error.outage)
    return outcome
  }

  return {
    async send(request) {
      if (request.token !== null && !TOKEN.test(request.token)) {
        return err({
          kind: 'secret_store_denied',
          what: 'the token has characters that no token has',
        })
      }
      return send(request)
    },

    health: () =>
      Promise.all(
        urls.map((address) =>
          healthOf(
            address,
            { url: urlOf(address, 'sys/health').href, headers: COMMON_HEADERS },
            { authority, deadlineMs: Math.min(deadlineMs, HEALTH_DEADLINE_MS) },
          ),
        ),
      ),
  }
}

/** Below the base URL, which may have a path of a proxy. */
const urlOf = ({ href }: URL, path: string): URL =>
  new URL(`${href.replace(/\/*$/, '')}/v1/${path}`)

function messageOf(
  { method, body, token }: VaultRequest,
  namespace: string | null,
): Pick<OutboundRequest, 'method' | 'headers' | 'body'> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return {
    method,
    headers: {
      ...COMMON_HEADERS,
      ...(token !== null && { 'x-vault-token': token }),
      ...(namespace !== null && { 'x-vault-namespace': namespace }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}
