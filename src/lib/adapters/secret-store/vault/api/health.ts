import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../../concurrency/lazily.ts'
import { withinDeadline } from '../../../../outbound/deadline.ts'
import {
  exchange,
  type OutboundFault,
  type OutboundRequest,
} from '../../../../outbound/exchange.ts'
import { jsonBody } from '../../../../outbound/json-body.ts'
import type { AddressHealth } from './client.ts'

const HEALTH_MAX_BYTES = 64 * 1024

type Health = Static<typeof Health>
const Health = Type.Object({
  initialized: Type.Boolean(),
  sealed: Type.Boolean(),
  standby: Type.Boolean(),
  version: Type.Optional(Type.String()),
  enterprise: Type.Optional(Type.Boolean()),
})
const checkHealth = lazily(() => Compile(Health))

/** Fit for a message to operators, and no token. */
const VERSION = /^\d+\.[\w.+-]{1,64}$/

/** Asks one address for its state. The status says the same as the body, and can be set by the configuration of a check. */
export async function healthOf(
  { origin: address }: URL,
  request: Pick<OutboundRequest, 'url' | 'headers'>,
  { authority, deadlineMs }: { readonly authority: string | null; readonly deadlineMs: number },
): Promise<AddressHealth> {
  const unusable = (state: 'no_store' | 'unreachable', reason: string): AddressHealth => ({
    address,
    state,
    version: null,
    reason,
  })
  const raw = await withinDeadline(deadlineMs, (signal) =>
    exchange({ ...request, method: 'GET', maxBytes: HEALTH_MAX_BYTES, signal }, authority),
  )
  if (!raw.ok) return unusable('unreachable', faultText(raw.error))
  const body = jsonBody(raw.value)
  if (!body.ok) return unusable('no_store', faultText(body.error))
  if (!checkHealth().Check(body.value)) {
    return unusable('no_store', `answered with ${raw.value.status}, not as documented`)
  }
  const { version = '', enterprise } = body.value
  return {
    address,
    state: stateOf(body.value),
    version: VERSION.test(version) ? version : null,
    ...(enterprise === false && { isCommunityEdition: true }),
  }
}

function stateOf({ initialized, sealed, standby }: Health): AddressHealth['state'] {
  if (!initialized) return 'not_initialised'
  if (sealed) return 'sealed'
  return standby ? 'standby' : 'active'
}

function faultText(fault: OutboundFault): string {
  switch (fault.kind) {
    case 'timeout':
      return 'no answer in time'
    case 'unreachable':
      return fault.code ?? 'aborted'
    case 'broken':
      return fault.reason
    case 'too_large':
      return `an answer of more than ${fault.maxBytes} bytes`
  }
}
