import { RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, RunStore } from '../../ports/database.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Principal } from '../access/principal.ts'
import type { LoadFailure } from '../catalog/load.ts'
import { type AvailabilityOptions, type Place, placesTaken } from './availability.ts'
import { makePlan, type Plan, type PlanSource } from './plan.ts'
import type { RenderFailure } from './render.ts'
import { askingOf, findRepeated, join, type RepetitionFailure } from './repetition.ts'
import type { ScaffoldRequest } from './request.ts'
import { newState, readRun, type Run, writeState } from './run.ts'
import { scaffoldersOf } from './scaffolders.ts'
import { settle, type SettleFailure, type SettleOptions } from './settle.ts'
import { repositoryOf, type ScaffoldSpec, writeSpec } from './spec.ts'

export interface SubmitOptions extends AvailabilityOptions, PlanSource, SettleOptions {
  readonly store: Pick<RunStore, 'start' | 'findSame' | 'findFailed' | 'adoptKey'>
  readonly clock: Clock
  readonly platformGroup: string
  /** Tells who works on runs that there is one. */
  readonly wake: () => void
}

export type PreviewFailure = Forbidden | SettleFailure | RenderFailure | LoadFailure

export type SubmitFailure =
  | PreviewFailure
  | RepetitionFailure
  | {
      readonly kind: 'already_exists'
      readonly where: readonly (Place | 'run')[]
      /** A run of the same person that failed and can be tried again. */
      readonly runId: RunId | null
    }
  | DatabaseFailure

export interface Preview {
  readonly spec: ScaffoldSpec
  readonly plan: Plan
  readonly taken: readonly Place[]
  readonly deprecated: boolean
}

export function createSubmit(options: SubmitOptions) {
  const { store, clock, platformGroup } = options

  return {
    /** Starts a run, or answers with the one that this is a repetition of. */
    async submit(
      principal: Principal,
      request: ScaffoldRequest,
      idempotencyKey: string | null,
    ): Promise<Result<Run, SubmitFailure>> {
      const asking = askingOf(principal, request, idempotencyKey, clock.now())
      const allowed = authorise(principal, scaffoldersOf(request.team, platformGroup))
      if (!allowed.ok) return allowed
      const earlier = await findRepeated(store, asking)
      if (!earlier.ok) return earlier
      if (earlier.value !== null) return ok(earlier.value)

      const settled = await settle(options, principal, request)
      if (!settled.ok) return settled
      const { spec, template } = settled.value
      const plan = await makePlan(options, spec, template)
      if (!plan.ok) return plan
      const about = aboutOf(spec)
      const places = await placesTaken(options, spec)
      if (!places.ok) return places
      if (places.value.length > 0) {
        // Perhaps taken by the same request, which was quicker.
        const quicker = await findRepeated(store, asking)
        if (!quicker.ok) return quicker
        return quicker.value === null ? taken(principal, about, places.value) : ok(quicker.value)
      }

      const run = {
        id: RunId.of(Bun.randomUUIDv7()),
        issuer: principal.issuer,
        subject: principal.subject,
        team: spec.team,
        about,
        request: writeSpec(spec),
        state: writeState(newState),
        requestHash: asking.requestHash,
        idempotencyKey,
        createdAt: clock.now(),
      }
      const started = await store.start(run, asking)
      if (!started.ok) return started
      if (started.value.kind === 'same') return join(store, started.value.run, asking)
      if (started.value.kind === 'taken') return taken(principal, about, ['run'])
      options.wake()
      return ok(readRun({ ...run, status: 'running', finishedAt: null, attempts: 0 }))
    },

    /** What would be made, without making it. */
    async preview(
      principal: Principal,
      request: ScaffoldRequest,
    ): Promise<Result<Preview, PreviewFailure>> {
      const allowed = authorise(principal, scaffoldersOf(request.team, platformGroup))
      if (!allowed.ok) return allowed
      const settled = await settle(options, principal, request)
      if (!settled.ok) return settled
      const { spec, template } = settled.value
      const [plan, places] = await Promise.all([
        makePlan(options, spec, template),
        placesTaken(options, spec),
      ])
      if (!plan.ok) return plan
      if (!places.ok) return places
      const { deprecated } = template
      return ok({ spec, plan: plan.value, taken: places.value, deprecated })
    },
  }

  async function taken(
    { issuer, subject }: Principal,
    about: string,
    where: readonly (Place | 'run')[],
  ): Promise<Result<never, SubmitFailure>> {
    const failed = await store.findFailed(about)
    if (!failed.ok) return failed
    const run = failed.value === null ? null : readRun(failed.value)
    const isOwn = run?.issuer === issuer && run.subject === subject
    const runId = isOwn && run.state.failed?.retryable === true ? run.id : null
    return err({ kind: 'already_exists', where, runId })
  }
}

/** What only one run at a time may be about: the name of the repository, whatever the team. */
function aboutOf(spec: ScaffoldSpec): string {
  const { owner, name } = repositoryOf(spec)
  return `${owner}/${name}`
}
