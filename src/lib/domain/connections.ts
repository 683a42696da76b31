import { inTime } from '../concurrency/in-time.ts'
import { onNobodysBehalf, stepAside } from '../concurrency/on-behalf-of.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { SteadyClock } from '../ports/clock.ts'
import { type ConnectionFinding, fails } from '../ports/connection-finding.ts'

export const CONNECTIONS = [
  'settings',
  'identity_provider',
  'database',
  'git',
  'git_host',
  'secret_store',
  'clusters',
] as const

/** Checks under one name. */
export interface ConnectionSubject {
  readonly name: (typeof CONNECTIONS)[number]
  readonly check: () => Promise<readonly ConnectionFinding[]>
}

export interface SubjectFindings {
  readonly name: ConnectionSubject['name']
  readonly findings: readonly ConnectionFinding[]
}

const CHECK_DEADLINE_MS = 10_000

/** Checks all subjects at once, and returns their findings in the order of the subjects. */
export const checkSubjects = (
  subjects: readonly ConnectionSubject[],
  deadlineMs = CHECK_DEADLINE_MS,
): Promise<readonly SubjectFindings[]> =>
  Promise.all(
    subjects.map(async ({ name, check }) => ({
      name,
      findings: await inTime(check(), deadlineMs, [
        fails(`No answer within ${Math.round(deadlineMs / 1000)} s.`),
      ]),
    })),
  )

export interface CheckedConnections {
  /** Milliseconds since the Unix epoch, at the end of the checks. */
  readonly checkedAt: number
  readonly subjects: readonly SubjectFindings[]
}

export type Connections = ReturnType<typeof createConnections>

/** Keeps the outcome of the checks. They run when somebody asks, one round at a time. */
export function createConnections(
  subjects: readonly ConnectionSubject[],
  {
    clock,
    onBug,
  }: { readonly clock: SteadyClock; readonly onBug: (name: string, bug: unknown) => void },
) {
  const rounds = createSingleFlight<CheckedConnections>()
  let last: CheckedConnections | undefined
  let endedAt = 0

  const guarded = subjects.map(({ name, check }) => ({
    name,
    check: () =>
      Promise.try(check).catch((bug: unknown) => {
        onBug(name, bug)
        return [fails('The check itself failed: its log line has the cause.')]
      }),
  }))

  const begin = () =>
    rounds.join('', async () => {
      const checked = await onNobodysBehalf(() => checkSubjects(guarded))
      last = { checkedAt: clock.now(), subjects: checked }
      endedAt = clock.elapsed()
      return last
    })

  const isOld = (ageMaxMs: number) => last === undefined || clock.elapsed() - endedAt > ageMaxMs

  return {
    /** An outcome of at most this age; waits for one where it has to. */
    async read(ageMaxMs: number): Promise<CheckedConnections> {
      if (last !== undefined && !isOld(ageMaxMs)) return last
      stepAside()
      return begin()
    },

    /** The last outcome, at once; `undefined` before the first one. Begins a round when it is older. */
    last(ageMaxMs: number): CheckedConnections | undefined {
      if (isOld(ageMaxMs)) void begin()
      return last
    },
  }
}
