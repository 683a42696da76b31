import type { ObjectId } from '../../names.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { compositeName } from '../gitops/application.ts'
import { rivalsOf } from '../gitops/rivals.ts'
import type { Applications } from './application.ts'
import type { Pipeline, Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'

export interface RivalFailure {
  readonly kind: 'name_taken'
  /** Name of the objects in the cluster. */
  readonly name: string
  /** The other application, as `team/app`. */
  readonly claimedBy: string
}

/** Refuses an overlay whose objects have the name of another application's. Asks for nothing unless the name has several readings. */
export async function findRival(
  { applications, pipeline }: { readonly applications: Applications; readonly pipeline: Pipeline },
  commit: ObjectId,
  { team, app }: Pick<Promotable, 'team' | 'app'>,
  { environment }: Stage,
): Promise<Result<void, RivalFailure | GitFailure>> {
  const { stages } = pipeline
  const environments = stages.map((stage) => stage.environment)
  for (const rival of rivalsOf({ team, app, environment }, environments)) {
    const read = await applications.read(commit, rival.team, rival.app)
    if (!read.ok) return read
    const isThere = [...read.value.overlays.keys()].some(
      (stage) => stage.environment === rival.environment,
    )
    if (isThere) {
      const name = `${compositeName(team, app)}-${environment}`
      return err({ kind: 'name_taken', name, claimedBy: `${rival.team}/${rival.app}` })
    }
  }
  return ok(undefined)
}
