import { AsyncLocalStorage } from 'node:async_hooks'

interface Behalf {
  readonly person: string | null
  readonly stepAside: (() => void) | undefined
}

const current = new AsyncLocalStorage<Behalf>()

/**
 * Does work for a person, or for the address of a client without a session, whom queues deep below it tell from others. Rights do not
 * depend on it. `stepAside` is called whenever the work waits for its client or for another system, which may take any time.
 */
export const onBehalfOf = <Value>(
  person: string | null,
  work: () => Value,
  stepAside = current.getStore()?.stepAside,
): Value => current.run({ person, stepAside }, work)

/**
 * Does work that everybody waits for sooner or later, whoever asked first: it must not queue behind what else that person wants. Who waits for
 * it steps aside before.
 */
export const onNobodysBehalf = <Value>(work: () => Value): Value => current.exit(work)

/** `null`: work of the service itself. */
export const currentPerson = (): string | null => current.getStore()?.person ?? null

/** For work that is about to wait for its client, for another system or for what others have begun: gives its place in this process to others. */
export const stepAside = (): void => current.getStore()?.stepAside?.()
