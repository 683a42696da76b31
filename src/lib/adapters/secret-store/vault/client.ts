import { createFair } from '../../../concurrency/fair.ts'
import { createOutages } from '../../../logging/outages.ts'
import { withinDeadline } from '../../../outbound/deadline.ts'
import {
  exchange,
  faultOf,
  type OutboundFault,
  type OutboundRequest,
  type RawAnswer,
} from '../../../outbound/exchange.ts'
import { jsonBody } from '../../../outbound/json-body.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { VERSION } from '../../../../version.ts'
import type { SecretStoreMeans } from '../means.ts'
import { answerOf, faultOfExchange, type VaultAnswer } from './answer.ts'

/** For one call of the port, over all its requests. */
export const DEADLINE_MS = 10_000
/** The connection check ends in time with a finding about the address. */
const HEALTH_DEADLINE_MS = 3_000
const ANSWER_MAX_BYTES = 1024 * 1024
const REQUESTS_AT_ONCE = 16
const COMMON_HEADERS = { 'user-agent': `portico/${VERSION}`, 'x-vault-request': 'true' }
/** Anything else is no token, and would break out of the header or be quoted by the error of `fetch`. */
const TOKEN = /^[\x21-\x7e]+$/

export interface VaultClientOptions extends Pick<SecretStoreMeans, 'log' | 'clock'> {
  /** Base URL, which may have the path of a proxy. */
  readonly address: URL
  /** `null`: the root namespace. */
  readonly namespace: string | null
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  readonly deadlineMs?: number
}

/**
 * The HTTP API of Vault or OpenBao. Answers that depend on the request are values that the caller interprets. The client itself turns
 * into failures: connection faults, deadlines, answers that are not the store's, sealed and standby stores, rate quotas and errors of
 * the store. No failure and no line of the log contains text of the store, a token or a body.
 */
export interface VaultClient {
  /** Answers with 2xx, 400, 403, 404, 405 and 415 are values. */
  send(request: VaultRequest): Promise<Result<VaultAnswer, SecretStoreFailure>>
  /** The JSON of `sys/health`, whatever the state of the store. */
  health(): Promise<Result<unknown, OutboundFault>>
}

export interface VaultRequest {
  /** PATCH is sent as a JSON merge patch (RFC 7396). */
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below `/v1/`: see `vaultPath`. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** `null`: a login. */
  readonly token: string | null
  /** Whether a second execution does no harm. Such a request is sent again when its connection was closed without an answer. */
  readonly repeatable: boolean
  /** Ends the request before the deadline of the client. Its reason is a `TimeoutError`. */
  readonly signal?: AbortSignal
}

export function createVaultClient({
  address,
  namespace,
  authority,
  log,
  clock,
  deadlineMs = DEADLINE_MS,
}: VaultClientOptions): VaultClient {
  const outages = createOutages({ log, clock })
  const system = `the secret store at ${address.origin}`
  const urlOf = (path: string) => `${address.href.replace(/\/*$/, '')}/v1/${path}`

  const { inTurn } = createFair({
    queue: 'secret_store',
    permits: REQUESTS_AT_ONCE,
    isElsewhere: true,
  })

  const sent = (request: Omit<OutboundRequest, 'maxBytes'>) =>
    exchange({ ...request, maxBytes: ANSWER_MAX_BYTES }, authority)

  async function sentInTurn(request: Omit<OutboundRequest, 'maxBytes'>): ReturnType<typeof sent> {
    try {
      return await inTurn(() => sent(request), request.signal)
    } catch (error) {
      return err(faultOf(error, false))
    }
  }

  async function exchanged(request: VaultRequest): Promise<Result<RawAnswer, OutboundFault>> {
    const { method, path, body, token, repeatable, signal: given } = request
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return withinDeadline(deadlineMs, async (late) => {
      const message = {
        method,
        url: urlOf(path),
        headers: {
          ...COMMON_HEADERS,
          ...(token !== null && { 'x-vault-token': token }),
          ...(namespace !== null && { 'x-vault-namespace': namespace }),
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: given === undefined ? late : AbortSignal.any([late, given]),
      }
      const raw = await sentInTurn(message)
      // The server may have closed the idle connection of an earlier request at this moment.
      const isClosed = !raw.ok && 'isPassing' in raw.error && raw.error.isPassing
      return isClosed && repeatable ? sentInTurn(message) : raw
    })
  }

  return {
    async send(request) {
      if (request.token !== null && !TOKEN.test(request.token)) {
        const what = 'the token has characters that no token has'
        return err({ kind: 'secret_store_denied', what })
      }
      const raw = await exchanged(request)
      const answer = raw.ok ? answerOf(raw.value) : err(faultOfExchange(raw.error))
      if (answer.ok) {
        outages.worked(system)
        return answer
      }
      const { failure, outage } = answer.error
      if (outage !== null) {
        const facts = { address: address.origin, code: outage }
        outages.failed(system, outage, facts, 'the secret store fails')
      }
      return err(failure)
    },

    async health() {
      const raw = await withinDeadline(Math.min(deadlineMs, HEALTH_DEADLINE_MS), (signal) =>
        sent({ method: 'GET', url: urlOf('sys/health'), headers: COMMON_HEADERS, signal }),
      )
      if (!raw.ok) return raw
      const body = jsonBody(raw.value)
      return body.ok ? ok(body.value) : body
    },
  }
}

/**
 * A path of the API, such as vaultPath`${mount}/data/${path}`. Values are encoded segment by segment; their slashes stay slashes.
 * Throws for a segment that the store would resolve, which is a bug: names and settings exclude them.
 */
export function vaultPath(literals: TemplateStringsArray, ...values: readonly string[]): string {
  const encoded = values.map((value) => value.split('/').map(encodeSegment).join('/'))
  return String.raw({ raw: literals }, ...encoded)
}

function encodeSegment(segment: string): string {
  if (/^\.{0,2}$/.test(segment)) throw new Error('a path segment is empty or consists of dots')
  return encodeURIComponent(segment)
}
