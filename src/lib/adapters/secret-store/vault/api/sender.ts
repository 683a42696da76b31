import { orAbort } from '../../../../concurrency/or-abort.ts'
import { createSemaphore } from '../../../../concurrency/semaphore.ts'
import { isTimeout, withinDeadline } from '../../../../outbound/deadline.ts'
import { err, type Result } from '../../../../result.ts'
import type { Addresses } from './addresses.ts'
import type { VaultAnswer, VaultClient, VaultRequest } from './client.ts'
import { faultOfExchange, type VaultFault } from './fault.ts'

const AT_ONCE = 16
/** Over all addresses, with pauses between them. */
const ROUNDS_MAX = 4
const PAUSE_GROWTH = 3
/** A silent address or connection leaves time for at least one other attempt. */
const ATTEMPTS_MIN = 2

type Outcome = Result<VaultAnswer, VaultFault>

export interface SenderOptions {
  readonly addresses: Addresses
  readonly deadlineMs: number
  readonly pauseMs: number
  /** Sends to one address, and to those that it redirects to. */
  readonly attempt: (address: URL, request: VaultRequest, signal: AbortSignal) => Promise<Outcome>
}

/** Sends requests to the addresses, again where that does no harm, and within a deadline. */
export function createSend({
  addresses,
  deadlineMs,
  pauseMs: firstPauseMs,
  attempt,
}: SenderOptions): VaultClient['send'] {
  // Work that has begun goes on before more is begun. In turn, everything would wait until its deadline at a store that is too slow.
  const inTurn = createSemaphore(AT_ONCE, 'newest')

  async function round(request: VaultRequest, signal: AbortSignal): Promise<Outcome> {
    const urls = addresses.inOrder()
    const attemptMs = request.repeatable
      ? deadlineMs / Math.max(ATTEMPTS_MIN, urls.length)
      : deadlineMs
    const faults: VaultFault[] = []
    for (const url of urls) {
      const outcome = await inTurn(
        () =>
          withinDeadline(attemptMs, (late) =>
            attempt(url, request, AbortSignal.any([signal, late])),
          ),
        signal,
      )
      if (outcome.ok) return outcome
      const { remedy } = outcome.error
      if (remedy.kind !== 'other_address' || !mayRepeat(request, outcome.error)) return outcome
      faults.push(outcome.error)
    }
    return err(faultOfAll(faults))
  }

  async function repeat(request: VaultRequest, signal: AbortSignal): Promise<Outcome> {
    const endsAt = performance.now() + deadlineMs
    for (let rounds = 1; ; rounds += 1) {
      const outcome = await round(request, signal)
      if (outcome.ok || !isPassing(outcome.error) || !mayRepeat(request, outcome.error)) {
        return outcome
      }
      const ownPauseMs = firstPauseMs * PAUSE_GROWTH ** (rounds - 1)
      // With jitter, so that many callers do not come back at the same moment.
      const pauseMs = (statedPauseMs(outcome.error) ?? ownPauseMs) * (1 + Math.random() / 2)
      if (rounds === ROUNDS_MAX || performance.now() + pauseMs >= endsAt) return outcome
      await orAbort(Bun.sleep(pauseMs), signal)
    }
  }

  return async function send(request) {
    const { signal: given } = request
    const outcome = await withinDeadline(deadlineMs, (late) => {
      const signal = given === undefined ? late : AbortSignal.any([late, given])
      return failingAtDeadline(() => repeat(request, signal))
    })
    return outcome.ok ? outcome : err(outcome.error.failure)
  }
}

const mayRepeat = ({ repeatable }: VaultRequest, { hadNoEffect }: VaultFault): boolean =>
  repeatable || hadNoEffect

/** A sealed store waits for people. */
const isPassing = ({ failure, remedy }: VaultFault): boolean =>
  remedy.kind !== 'none' && failure.kind !== 'secret_store_sealed'

/** The store is sealed if every node that answered is sealed. A node that answered says more than one that did not. */
function faultOfAll(faults: readonly VaultFault[]): VaultFault {
  const answered = faults.filter(({ isAnswer }) => isAnswer)
  const isOpen = ({ failure }: VaultFault) => failure.kind !== 'secret_store_sealed'
  const fault = answered.find(isOpen) ?? answered[0] ?? faults[0]
  if (fault === undefined) throw new Error('a store without an address')
  return fault
}

/** The pause that the store asks for. */
const statedPauseMs = ({ remedy }: VaultFault): number | null =>
  remedy.kind === 'pause' ? remedy.pauseMs : null

/** Waits end with the `TimeoutError` of the deadline. */
async function failingAtDeadline(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (!isTimeout(error)) throw error
    return err(faultOfExchange({ kind: 'timeout' }))
  }
}
