import type { Clock } from '../ports/clock.ts'
import type { Log } from './log.ts'

/** A system that fails and works in turns has a line for each cause in this time. */
const REPEATED_AFTER_MS = 60_000
/** Causes that are remembered of a system: their texts may come from outside. */
const CAUSES_MAX = 100

/**
 * Log lines about another system that fails: one when its outage begins, or has a new cause, and one when it ends. Calls come by the
 * thousand meanwhile.
 */
export interface Outages {
  failed(system: string, cause: string, facts: object, text: string, level?: 'warn' | 'error'): void
  /** A failure that says nothing about other calls of the system, such as a missing right. The same one is logged once a minute. */
  refused(system: string, cause: string, facts: object, text: string): void
  /** A call of the system succeeded. Costs nothing while there is no outage. */
  worked(system: string): void
}

interface Outage {
  readonly since: number
  failures: number
}

export function createOutages({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
}): Outages {
  const outages = new Map<string, Outage>()
  /** By system, when each cause was logged. */
  const logged = new Map<string, Map<string, number>>()

  const failed: Outages['failed'] = (system, cause, facts, text, level = 'warn') => {
    const now = clock.now()
    const outage = outages.get(system) ?? { since: now, failures: 0 }
    outages.set(system, outage)
    outage.failures += 1
    const causes = logged.get(system) ?? new Map<string, number>()
    logged.set(system, causes)
    const at = causes.get(cause)
    // A time in the future means that the clock was set back.
    const isKnown = at !== undefined && at <= now
    if (isKnown && (at >= outage.since || now - at < REPEATED_AFTER_MS)) return
    if (causes.size >= CAUSES_MAX) causes.clear()
    causes.set(cause, now)
    log[level](facts, text)
  }

  return {
    failed,
    refused(system, ...failure) {
      failed(system, ...failure)
      outages.delete(system)
    },
    worked(system) {
      const outage = outages.get(system)
      if (outage === undefined) return
      outages.delete(system)
      const isLogged = [...(logged.get(system)?.values() ?? [])].some((at) => at >= outage.since)
      if (!isLogged) return
      const { since, failures } = outage
      log.info({ lastedMs: clock.now() - since, failures }, `${system} works again`)
    },
  }
}
