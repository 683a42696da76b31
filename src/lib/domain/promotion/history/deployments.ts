import { inTime } from '../../../concurrency/in-time.ts'
import type { Head } from '../../../ports/git-host.ts'
import { err } from '../../../result.ts'
import type { Requesters, Person } from '../../gitops/requesters.ts'
import type { Stage } from '../pipeline.ts'
import type { Promotable } from '../subject.ts'
import { movesOf, newestChange } from './changes.ts'
import type { MergedPulls } from './merged-pulls.ts'
import type { OverlayLog } from './overlay-log.ts'
import { askedBy } from './rows.ts'

/** The newest change of an overlay: its time, and the person who asked for it. */
export interface Deployment {
  readonly at: number | null
  readonly by: Person | null
}

/** A state waits so long. A reading that takes longer goes on, for the next state. */
const PATIENCE_MS = 1_000
const LATE = err({ kind: 'git_host_timeout' } as const)

export interface DeploymentSource {
  readonly log: OverlayLog
  readonly pulls: MergedPulls
  readonly requesters: Pick<Requesters, 'of'>
}

export type Deployments = ReadonlyMap<Stage, Deployment>

/**
 * The newest change of each overlay on the default branch. What the git host does not answer in time is left out: a state is not to wait or to
 * fail for it.
 */
export async function readDeployments(
  source: DeploymentSource,
  { branch, commit }: Head,
  { team, app, application }: Pick<Promotable, 'team' | 'app' | 'application'>,
): Promise<Deployments> {
  const read = await Promise.all(
    [...application.overlays].map(async ([stage, { folder }]) => {
      const query = { base: branch, moves: movesOf({ team, app }, stage) }
      const newest = async () => {
        const commits = await source.log(commit, { team, app }, [folder], 1)
        return commits.ok ? newestChange(source.pulls, commits.value, query) : commits
      }
      const change = await inTime(newest(), PATIENCE_MS, LATE)
      return change.ok && change.value !== null ? { stage, change: change.value } : null
    }),
  )
  const changes = read.filter((each) => each !== null)
  const requesters = await source.requesters.of(changes.flatMap(({ change }) => change.pull ?? []))
  return new Map(
    changes.map(({ stage, change }) => [stage, { at: change.at, by: askedBy(change, requesters) }]),
  )
}
