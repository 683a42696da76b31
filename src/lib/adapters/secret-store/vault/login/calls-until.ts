import { orAbort } from '../../../../concurrency/or-abort.ts'
import { err } from '../../../../result.ts'
import { isTimeout } from '../../../../outbound/deadline.ts'
import type { VaultCalls } from './calls.ts'

/**
 * Calls that end with the `TimeoutError` of a signal, whatever they wait for, and send nothing after it. A login goes on: others may
 * wait for it.
 */
export const callsUntil = (
  calls: Pick<VaultCalls, 'call'>,
  signal: AbortSignal,
): Pick<VaultCalls, 'call'> => ({
  async call(actor, request, right) {
    try {
      return await orAbort(calls.call(actor, { ...request, signal }, right), signal)
    } catch (error) {
      if (!isTimeout(error)) throw error
      return err({ kind: 'secret_store_timeout' })
    }
  },
})
