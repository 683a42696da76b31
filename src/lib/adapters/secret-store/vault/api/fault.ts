import type { OutboundFault } from '../../../../outbound/exchange.ts'
import { isUnsent } from '../../../../outbound/connection-codes.ts'
import type { SecretStoreFailure } from '../../../../ports/secret-store.ts'

/** Why an attempt gave no answer for the caller. Texts and codes are our own, never those of the store. */
export interface VaultFault {
  readonly failure: SecretStoreFailure
  /** The request certainly had no effect: even a write may be sent again. */
  readonly hadNoEffect: boolean
  readonly remedy: Remedy
  /** For the log of outages: why this address takes no requests. `null`: it takes them. */
  readonly outage: string | null
  /** A store was there, and answered. */
  readonly isAnswer: boolean
}

export type Remedy =
  /** Further addresses, and a pause before the next round over all of them. */
  | { readonly kind: 'other_address' }
  /** The same request after a pause. `pauseMs`: as the store asks for; `null`: a short one. */
  | { readonly kind: 'pause'; readonly pauseMs: number | null }
  | { readonly kind: 'none' }

const UNREACHABLE = { kind: 'secret_store_unreachable' } as const
const OTHER_ADDRESS = { kind: 'other_address' } as const

/** The fault that a failed connection or a broken answer is. */
export function faultOfExchange(fault: OutboundFault): VaultFault {
  switch (fault.kind) {
    case 'timeout': {
      const failure = { kind: 'secret_store_timeout' } as const
      const remedy = OTHER_ADDRESS
      return { failure, hadNoEffect: false, remedy, outage: 'timeout', isAnswer: false }
    }
    case 'unreachable': {
      const hadNoEffect = fault.code !== null && isUnsent(fault.code)
      const outage = fault.code ?? 'aborted'
      return { failure: UNREACHABLE, hadNoEffect, remedy: OTHER_ADDRESS, outage, isAnswer: false }
    }
    case 'broken': {
      const remedy = fault.isPassing ? OTHER_ADDRESS : ({ kind: 'none' } as const)
      return { ...unusable(fault.reason), remedy }
    }
    case 'too_large':
      return unusable(`an answer of more than ${fault.maxBytes} bytes`)
  }
}

/** An error that another attempt does not mend. */
export const unusable = (reason: string): VaultFault => ({
  failure: { kind: 'secret_store_error', reason },
  hadNoEffect: false,
  remedy: { kind: 'none' },
  outage: null,
  isAnswer: true,
})

export const undocumented = (status: number): VaultFault =>
  unusable(`gave an answer (${status}) that is not as documented`)

/** An error of this node. The request may have had its effect. */
export const failing = (status: number): VaultFault => ({
  ...unusable(`answered with ${status}`),
  remedy: OTHER_ADDRESS,
  outage: String(status),
})

/** A gateway without a store behind it, or a store that is overloaded. */
export const unavailable = (status: number): VaultFault => ({
  ...failing(status),
  failure: UNREACHABLE,
})

export const sealed = (outage: 'sealed' | 'namespace_locked'): VaultFault => ({
  failure: { kind: 'secret_store_sealed' },
  hadNoEffect: true,
  remedy: OTHER_ADDRESS,
  outage,
  isAnswer: true,
})

/** A node that is not active, and forwards nothing. */
export const standby: VaultFault = {
  failure: UNREACHABLE,
  hadNoEffect: true,
  remedy: OTHER_ADDRESS,
  outage: 'standby',
  isAnswer: true,
}

/** A redirect that is not followed: the token is for the configured addresses alone. */
export const foreignRedirect: VaultFault = {
  failure: {
    kind: 'secret_store_error',
    reason: 'redirects to an address that VAULT_ADDR does not name',
  },
  hadNoEffect: true,
  remedy: OTHER_ADDRESS,
  outage: 'redirect',
  isAnswer: true,
}

/** A replica of Vault Enterprise that does not have the state yet that the request needs. */
export const behind: VaultFault = {
  failure: UNREACHABLE,
  hadNoEffect: true,
  remedy: { kind: 'pause', pauseMs: null },
  outage: null,
  isAnswer: true,
}

/** Every call of a mount fails for a moment after the mount was made. */
export const upgrading: VaultFault = {
  ...behind,
  failure: {
    kind: 'secret_store_error',
    reason: 'is still upgrading a mount to KV version 2',
  },
}

/** A wait up to this long is waited out; a longer one is the caller's failure. */
const WAIT_MAX_SECONDS = 2

/** A quota refused the request. */
export function rateLimited(retryAfterSeconds: number): VaultFault {
  const isShort = retryAfterSeconds <= WAIT_MAX_SECONDS
  return {
    failure: { kind: 'secret_store_rate_limited', retryAfterSeconds },
    hadNoEffect: true,
    remedy: isShort ? { kind: 'pause', pauseMs: retryAfterSeconds * 1_000 } : { kind: 'none' },
    outage: null,
    isAnswer: true,
  }
}
