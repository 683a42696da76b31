/** How long a token is valid, from the moment when the store was asked. */
export interface Lease {
  /** `null`: without end. */
  readonly seconds: number | null
  /** Whether a renewal would make it longer. */
  readonly isRenewable: boolean
}

export interface StoreSession {
  readonly token: string
  readonly lease: Lease
  /** When the store was asked, by the clock of this machine. */
  readonly startedAt: number
}

/** Part of a lease in which its token is used; afterwards a request could arrive too late. */
const USED_PART = 0.9

/** Whether the token may be used for another request. After the clock was set back, one new login tells the time of the start. */
export function isUsable({ lease, startedAt }: StoreSession, now: number): boolean {
  const age = now - startedAt
  return lease.seconds === null || (age >= 0 && age < lease.seconds * 1_000 * USED_PART)
}

/** When the lease ends, in milliseconds since the Unix epoch. */
export const endOf = ({ lease, startedAt }: StoreSession): number =>
  lease.seconds === null ? Number.POSITIVE_INFINITY : startedAt + lease.seconds * 1_000
