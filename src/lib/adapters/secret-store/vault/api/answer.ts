import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../../concurrency/lazily.ts'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import { jsonBody } from '../../../../outbound/json-body.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { isObject } from '../../../../text/json.ts'
import type { VaultAnswer } from './client.ts'
import {
  behind,
  failing,
  faultOfExchange,
  rateLimited,
  sealed,
  standby,
  unavailable,
  undocumented,
  unusable,
  upgrading,
  type VaultFault,
} from './fault.ts'
import { createReasons } from './reason.ts'

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

const stateOf = createReasons({
  /** 503. Also before the initialisation. */
  sealed: /Vault is sealed/,
  /** 503: an administrator of Vault Enterprise has locked the API of the namespace. */
  namespace_locked: /namespace has been locked by an administrator/,
  /** 500 or 503: a node that is neither active nor knows the active one. 400: a secondary cluster of Vault Enterprise. */
  no_active_node:
    /active cluster node not found|no active \w+ instance|node is not active|replication DR secondary/,
  /** 400: just after a mount was made or upgraded to version 2. */
  mount_upgrading: /pgrad(?:e|ing) from non-versioned to versioned data/,
  /** 413 for a request, 500 for an entry of the storage. */
  too_large: /request body too large|value being too large|exceeds allowed/,
})

/** Sorts an answer: one for the caller, or a fault of the store or of a proxy before it. */
export function answerOf(raw: RawAnswer): Result<VaultAnswer, VaultFault> {
  const { status } = raw
  const body = jsonBody(raw)
  const json = body.ok ? body.value : undefined
  const fault = faultOfStatus(status, stateOf({ json }), raw.headers)
  if (fault !== null) return err(fault)
  if (!body.ok) return err(faultOfExchange(body.error))
  return isAsDocumented(raw, json) ? ok({ status, json }) : err(undocumented(status))
}

/** Vault answers to a patch of nothing with a 404 that is empty and declares JSON; a page of a proxy does neither. */
function isAsDocumented({ status, headers, bytes }: RawAnswer, json: unknown): boolean {
  if (bytes.byteLength > 0) return status < 300 ? isObject(json) : Refusal().Check(json)
  return status === 204 || (status === 404 && /\bjson\b/.test(headers.get('content-type') ?? ''))
}

function faultOfStatus(
  status: number,
  state: ReturnType<typeof stateOf>,
  headers: Headers,
): VaultFault | null {
  if (status === 429) return rateLimited(retryAfterSeconds(headers))
  if (status === 412) return behind
  if (state === 'mount_upgrading') return upgrading
  if (state === 'sealed' || state === 'namespace_locked') return sealed(state)
  if (state === 'no_active_node' || STANDBY.has(status)) return standby
  if (status === 413 || state === 'too_large') {
    return unusable('takes no entry or request of this size')
  }
  if (UNAVAILABLE.has(status)) return unavailable(status)
  if (status >= 500) return failing(status)
  const isForCaller = (status >= 200 && status < 300) || REFUSALS.has(status)
  return isForCaller ? null : unusable(`answered with ${status}`)
}

/** Statuses of `sys/health` for nodes without data of their own: not initialised, disaster recovery, performance standby. */
const STANDBY: ReadonlySet<number> = new Set([501, 472, 473])
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504])

/** Vault tells the time only with `enable_rate_limit_response_headers`; the interval of a quota is a second by default. */
const RETRY_AFTER_SECONDS = 1
const RETRY_AFTER_MAX_SECONDS = 60 * 60

function retryAfterSeconds(headers: Headers): number {
  const stated = headers.get('retry-after') ?? ''
  const seconds = /^\d{1,9}$/.test(stated) ? Number(stated) : RETRY_AFTER_SECONDS
  return Math.min(Math.max(seconds, RETRY_AFTER_SECONDS), RETRY_AFTER_MAX_SECONDS)
}
