import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'
import type { Result } from '../../../../result.ts'

/**
 * The HTTP API of Vault or OpenBao. Answers that depend on the request are values that the caller interprets. The client itself turns
 * into failures: connection faults, deadlines, answers that are not the store's, sealed and standby stores, rate quotas and errors of
 * the store. No failure and no line of the log contains text of the store, a token or a body.
 */
export interface VaultClient {
  /** Answers with 2xx, 400, 403, 404, 405 and 415 are values. Ends within a deadline over all addresses and repetitions. */
  send(request: VaultRequest): Promise<Result<VaultAnswer, SecretStoreFailure>>
  /** The state of each address, in the order of the settings, for the connection check. */
  health(): Promise<readonly AddressHealth[]>
}

export interface VaultRequest {
  /** PATCH is sent as a JSON merge patch (RFC 7396). */
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below `/v1/`: see `vaultPath`. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** `null`: a login. */
  readonly token: string | null
  /** Whether a second execution does no harm: reads, look-ups and logins. Any other request is repeated only if it had no effect. */
  readonly repeatable: boolean
  /** Ends the request before the deadline of the client. Its reason is a `TimeoutError`. */
  readonly signal?: AbortSignal
}

export interface VaultAnswer {
  readonly status: number
  /** `undefined`: no body. */
  readonly json: unknown
}

export interface AddressHealth {
  readonly address: string
  readonly state: 'active' | 'standby' | 'sealed' | 'not_initialised' | 'no_store' | 'unreachable'
  /** `null`: the address did not tell it. */
  readonly version: string | null
  /** Vault without namespaces, which takes no notice of one. */
  readonly isCommunityEdition?: true
  /** Present if `unreachable`: a code or a fixed text. */
  readonly reason?: string
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
