import type { Clock } from '../ports/clock.ts'

const CHECK_EVERY_MS = 5_000
const CHECK_TIMEOUT_MS = 3_000

export type Phase = 'starting' | 'ready' | 'draining'

export interface Check {
  readonly ok: boolean
  readonly checkedAt: string
}

/** Whether this process should get traffic. Checks run in the background; reading the state never waits. */
export interface Readiness {
  /** `ready`, or the first reason against it. */
  state(): 'ready' | 'starting' | 'draining' | 'git_host_unreachable' | 'database_unavailable'
  checks(): Readonly<Record<'git' | 'database', Check | null>>
  /** Checks now, then every five seconds until `drain`. */
  start(): Promise<void>
  drain(): void
}

export interface ReadinessOptions {
  readonly clock: Clock
  /** Whether the git host answers and has the gitops repository. */
  readonly git: () => Promise<boolean>
  readonly database: () => Promise<boolean>
}

export function createReadiness({ clock, git, database }: ReadinessOptions): Readiness {
  let phase: Phase = 'starting'
  let timer: Timer | undefined
  let gitCheck: Check | null = null
  let databaseCheck: Check | null = null

  const check = async (probe: () => Promise<boolean>): Promise<Check> => {
    const late = Promise.withResolvers<boolean>()
    const deadline = setTimeout(() => late.resolve(false), CHECK_TIMEOUT_MS)
    const ok = await Promise.race([Promise.try(probe).catch(() => false), late.promise])
    clearTimeout(deadline)
    return { ok, checkedAt: new Date(clock.now()).toISOString() }
  }
  const checkAll = async () => {
    ;[gitCheck, databaseCheck] = await Promise.all([check(git), check(database)])
    if (phase === 'draining') return
    phase = 'ready'
    timer = setTimeout(() => void checkAll(), CHECK_EVERY_MS)
  }

  return {
    state() {
      if (phase !== 'ready') return phase
      if (gitCheck?.ok !== true) return 'git_host_unreachable'
      return databaseCheck?.ok === true ? 'ready' : 'database_unavailable'
    },
    checks: () => ({ git: gitCheck, database: databaseCheck }),
    start: checkAll,
    drain() {
      phase = 'draining'
      clearTimeout(timer)
    },
  }
}
