import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { OutboundFault, RawAnswer } from '../../../outbound/exchange.ts'
import { retryAfterSeconds as statedSeconds } from '../../../outbound/retry-after.ts'
import { jsonBody } from '../../../outbound/json-body.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { isObject } from '../../../text/json.ts'

export interface VaultAnswer {
  readonly status: number
  /** `undefined`: no body. */
  readonly json: unknown
}

/** Why a request gave no answer for the caller. Texts and codes are our own, never those of the store. */
export interface VaultFault {
  readonly failure: SecretStoreFailure
  /** For the log of outages: why the store takes no requests. `null`: it takes them. */
  readonly outage: string | null
}

/** The fault that a failed connection or a broken answer is. */
export function faultOfExchange(fault: OutboundFault): VaultFault {
  switch (fault.kind) {
    case 'timeout':
      return { failure: { kind: 'secret_store_timeout' }, outage: 'timeout' }
    case 'unreachable':
      return unreachable(fault.code ?? 'aborted')
    case 'broken':
      return unusable(fault.reason)
    case 'too_large':
      return unusable(`an answer of more than ${fault.maxBytes} bytes`)
  }
}

const unreachable = (outage: string): VaultFault => ({
  failure: { kind: 'secret_store_unreachable' },
  outage,
})

const unusable = (reason: string, outage: string | null = null): VaultFault => ({
  failure: { kind: 'secret_store_error', reason },
  outage,
})

export const undocumented = (status: number): SecretStoreFailure => ({
  kind: 'secret_store_error',
  reason: `gave an answer (${status}) that is not as documented`,
})

/** Refusals that depend on the request. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404, 405, 415])

/** Refusals have `errors`; the answer for a deleted version, a 404, has `data` instead. */
const Refusal = lazily(() =>
  Compile(
    Type.Union([
      Type.Object({ errors: Type.Array(Type.String()) }),
      Type.Object({ data: Type.Object({}) }),
    ]),
  ),
)

/** A pattern may take a time that grows with the square of a text. */
const TEXT_MAX_CHARACTERS = 2_000
const TEXTS_MAX = 8

/** The texts of a refusal, as far as they are looked at. They stay in this adapter: stores quote what they are sent. */
export function errorTexts({ json }: Pick<VaultAnswer, 'json'>): readonly string[] {
  const errors: unknown = isObject(json) ? json['errors'] : null
  return Array.isArray(errors)
    ? errors
        .slice(0, TEXTS_MAX)
        .filter((text) => typeof text === 'string')
        .map((text) => text.slice(0, TEXT_MAX_CHARACTERS))
    : []
}

/** Texts of refusals that have one status in common. They are the same in Vault and OpenBao. */
const REASONS = {
  /** 400: another version is the current one. */
  check_and_set_mismatch: /check-and-set parameter did not match the current version/,
  /** 400: the mount wants `cas` with each write. */
  check_and_set_required: /check-and-set parameter required for this call/,
  /** 404. */
  no_such_mount: /no handler for route /,
  /** 404. */
  no_such_namespace: /namespace not found/,
  /** 503. Also before the initialisation. */
  sealed: /Vault is sealed/,
  /** 503: an administrator of Vault Enterprise has locked the API of the namespace. */
  namespace_locked: /namespace has been locked by an administrator/,
  /** 500 or 503: a node that is neither active nor knows the active one. 400: a secondary cluster of Vault Enterprise. */
  standby:
    /active cluster node not found|no active \w+ instance|node is not active|replication DR secondary/,
  /** 400: just after a mount was made or upgraded to version 2. */
  mount_upgrading: /pgrad(?:e|ing) from non-versioned to versioned data/,
  /** 413 for a request, 500 for an entry of the storage. */
  too_large: /request body too large|value being too large|exceeds allowed/,
} as const

/** The known reason of a refusal. */
export function reasonOf(answer: Pick<VaultAnswer, 'json'>): keyof typeof REASONS | null {
  const texts = errorTexts(answer)
  let reason: keyof typeof REASONS
  for (reason in REASONS) if (texts.some((text) => REASONS[reason].test(text))) return reason
  return null
}

/** Sorts an answer: one for the caller, or a fault of the store or of a proxy before it. */
export function answerOf(raw: RawAnswer): Result<VaultAnswer, VaultFault> {
  const { status } = raw
  const body = jsonBody(raw)
  const json = body.ok ? body.value : undefined
  const fault = faultOfStatus(raw, reasonOf({ json }))
  if (fault !== null) return err(fault)
  if (!body.ok) return err(faultOfExchange(body.error))
  return isAsDocumented(raw, json)
    ? ok({ status, json })
    : err({ failure: undocumented(status), outage: null })
}

/** Vault answers to a patch of nothing with a 404 that is empty and declares JSON; a page of a proxy does neither. */
function isAsDocumented({ status, headers, bytes }: RawAnswer, json: unknown): boolean {
  if (bytes.byteLength > 0) return status < 300 ? isObject(json) : Refusal().Check(json)
  return status === 204 || (status === 404 && /\bjson\b/.test(headers.get('content-type') ?? ''))
}

/** Of `sys/health` for nodes without data of their own: not initialised, disaster recovery, performance standby. */
const STANDBY: ReadonlySet<number> = new Set([501, 472, 473])
/** A gateway without a store behind it, or a store that is overloaded. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

function faultOfStatus(
  { status, headers }: RawAnswer,
  reason: ReturnType<typeof reasonOf>,
): VaultFault | null {
  if (status === 429) {
    const retryAfterSeconds = statedSeconds(headers) || QUOTA_SECONDS
    return { failure: { kind: 'secret_store_rate_limited', retryAfterSeconds }, outage: null }
  }
  if (reason === 'sealed' || reason === 'namespace_locked') {
    return { failure: { kind: 'secret_store_sealed' }, outage: reason }
  }
  if (reason === 'standby' || STANDBY.has(status)) return unreachable('standby')
  if (reason === 'mount_upgrading') return unreachable(reason)
  if (status === 413 || reason === 'too_large') {
    return unusable('takes no entry or request of this size')
  }
  // It would carry the token elsewhere: the token is for the configured address alone.
  if (status >= 300 && status < 400) {
    return unusable('redirects: VAULT_ADDR must be the address that answers', 'redirect')
  }
  if (UNAVAILABLE.has(status)) return unreachable(String(status))
  if (status >= 500) return unusable(`answered with ${status}`, String(status))
  const isForCaller = (status >= 200 && status < 300) || REFUSALS.has(status)
  return isForCaller ? null : unusable(`answered with ${status}`)
}

/** Vault tells the time only with `enable_rate_limit_response_headers`; the interval of a quota is a second by default. */
const QUOTA_SECONDS = 1
