import { inTime } from '../concurrency/in-time.ts'
import type { Clock } from '../ports/clock.ts'

const CHECK_EVERY_MS = 5_000
const CHECK_TIMEOUT_MS = 3_000

export type Phase = 'starting' | 'ready' | 'draining'

export interface Check {
  readonly ok: boolean
  readonly checkedAt: string
}

/** Whether the secret store opens to the settings of this process; `unknown` while it cannot tell. */
export type StoreAccess = 'open' | 'refused' | 'unknown'

/** Whether this process should get traffic. Checks run in the background; reading the state never waits. */
export interface Readiness {
  /** `ready`, or the first reason against it. */
  state():
    | 'ready'
    | 'starting'
    | 'draining'
    | 'git_host_unreachable'
    | 'catalog_unreadable'
    | 'database_unavailable'
    | 'secret_store_refused'
  /** `secretStore` is the first successful check, until then the latest one: a store that is away later keeps nobody from anything else. */
  checks(): Readonly<Record<'git' | 'database' | 'secretStore', Check | null>>
  /** Checks now, then every five seconds until `drain`. */
  start(): Promise<void>
  drain(): void
}

export interface ReadinessOptions {
  readonly clock: Clock
  /** Whether the git host answers and has the gitops repository. */
  readonly git: () => Promise<boolean>
  /** `unreadable`: the git host does not give what it says is there. */
  readonly catalog: () => 'loading' | 'readable' | 'unreadable'
  readonly database: () => Promise<boolean>
  /** Asked until the store has opened. */
  readonly secretStore: () => Promise<StoreAccess>
}

export function createReadiness({
  clock,
  git,
  catalog,
  database,
  secretStore,
}: ReadinessOptions): Readiness {
  let phase: Phase = 'starting'
  let timer: Timer | undefined
  let gitCheck: Check | null = null
  let databaseCheck: Check | null = null
  let storeCheck: Check | null = null
  let storeAccess: StoreAccess = 'unknown'

  const check = async (probe: () => Promise<boolean>): Promise<Check> => {
    const ok = await inTime(
      Promise.try(probe).catch(() => false),
      CHECK_TIMEOUT_MS,
      false,
    )
    return { ok, checkedAt: new Date(clock.now()).toISOString() }
  }
  const checkStore = async (): Promise<Check> => {
    if (storeCheck !== null && storeAccess === 'open') return storeCheck
    let answer: StoreAccess = 'unknown'
    const checked = await check(async () => {
      answer = await secretStore()
      return answer === 'open'
    })
    storeAccess = answer
    return checked
  }
  const checkAll = async () => {
    ;[gitCheck, databaseCheck, storeCheck] = await Promise.all([
      check(git),
      check(database),
      checkStore(),
    ])
    if (phase === 'draining') return
    phase = 'ready'
    timer = setTimeout(() => void checkAll(), CHECK_EVERY_MS)
  }

  return {
    state() {
      if (phase !== 'ready') return phase
      if (gitCheck?.ok !== true) return 'git_host_unreachable'
      if (catalog() === 'unreadable') return 'catalog_unreadable'
      if (databaseCheck?.ok !== true) return 'database_unavailable'
      if (storeAccess === 'refused') return 'secret_store_refused'
      return catalog() === 'loading' ? 'starting' : 'ready'
    },
    checks: () => ({ git: gitCheck, database: databaseCheck, secretStore: storeCheck }),
    start: checkAll,
    drain() {
      phase = 'draining'
      clearTimeout(timer)
    },
  }
}
