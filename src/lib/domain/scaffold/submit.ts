import { createHash } from 'node:crypto'
import { type Label, RunId, type TeamName } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunRow, RunStore, SameRun } from '../../ports/database/runs.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise } from '../access/authorise.ts'
import { isPlatform, managersOf, type Principal } from '../access/principal.ts'
import type { LoadFailure } from '../catalog/load-failure.ts'
import { type AvailabilityOptions, type NameHolder, nameHolders } from './availability.ts'
import { type PreviewFailure, renderRefusal, type SubmitFailure } from './request-failure.ts'
import { makePlan, type Plan, type PlanSource } from './plan.ts'
import type { ScaffoldRequest } from './request.ts'
import type { RunDecision, RunRecords } from './on-record.ts'
import { newState, writeState } from '../runs/state.ts'
import { nothingMade, readRun, type Run } from './run.ts'
import type { RunActors } from './run-actors.ts'
import type { Caller, SecretRights } from './secret-right.ts'
import { makeSpec, repositoryOf, type ScaffoldSpec, type SpecOptions, writeSpec } from './spec.ts'

const IDEMPOTENCY_MS = 24 * 60 * 60_000

/** Groups that may start projects of a team, the strongest first. */
export const scaffoldersOf = (team: string, platformGroup: string): readonly string[] => [
  platformGroup,
  team,
  managersOf(team),
]

export interface SubmitOptions extends AvailabilityOptions, PlanSource, SpecOptions {
  readonly gitHost: AvailabilityOptions['gitHost']
  readonly store: Pick<RunStore, 'start' | 'lastEnd' | 'findSame' | 'findFailed' | 'adoptKey'>
  readonly clock: Clock
  readonly platformGroup: string
  /** The team that a namespace belongs to; `null`: to nobody alone. `team` is one, whether the catalog knows it or not. */
  readonly teamOfNamespace: (
    namespace: Label,
    team: TeamName,
  ) => Promise<Result<TeamName | null, LoadFailure>>
  readonly secretRights: Pick<SecretRights, 'require'>
  readonly records: Pick<RunRecords, 'decide'>
  readonly actors: Pick<RunActors, 'keep'>
  /** Tells the runner about a new run. */
  readonly wake: () => void
}

export interface Preview {
  readonly spec: ScaffoldSpec
  readonly plan: Plan
  readonly taken: readonly NameHolder[]
  readonly deprecated: boolean
}

export function createSubmit(options: SubmitOptions) {
  const { store, clock, platformGroup, secretRights, records, actors } = options

  async function prepare(principal: Principal, request: ScaffoldRequest) {
    const { namespace, team } = request
    const owner = await options.teamOfNamespace(namespace, team)
    if (!owner.ok) return owner
    if (owner.value !== null && owner.value !== team && !isPlatform(principal, platformGroup)) {
      return err({ kind: 'namespace_taken', team: owner.value } as const)
    }
    const made = await makeSpec(options, principal, request)
    if (!made.ok) return made
    const { spec, template } = made.value
    const plan = await makePlan(options, spec, template)
    if (!plan.ok) return err(renderRefusal(plan.error, request))
    const holders = await nameHolders(options, spec)
    if (!holders.ok) return holders
    const { deprecated } = template
    return ok({ spec, plan: plan.value, taken: holders.value, deprecated })
  }

  /** Also refuses while the store does not answer: nobody's right can be known then. */
  const requireRight = async (caller: Caller, spec: ScaffoldSpec) =>
    spec.features.externalSecrets ? secretRights.require(caller, spec) : ok(null)

  /** The run that repeats the request, if there is one. */
  async function findSame(same: SameRun): Promise<Result<Run | null, SubmitFailure>> {
    const found = await store.findSame(same)
    if (!found.ok) return found
    return found.value === null ? ok(null) : join(found.value, same)
  }

  /** A run without an idempotency key adopts that of the request, so that the key finds it from now on. */
  async function join(
    row: RunRow,
    { requestHash, idempotency }: SameRun,
  ): Promise<Result<Run, SubmitFailure>> {
    if (row.requestHash !== requestHash) return err({ kind: 'idempotency_key_reused' })
    const run = readRun(row)
    if (idempotency === null || row.idempotencyKey !== null) return ok(run)
    const adopted = await store.adoptKey(row.id, idempotency.key)
    return adopted.ok ? ok(run) : adopted
  }

  async function refuseTaken(
    { issuer, subject }: Principal,
    about: string,
    where: readonly (NameHolder | 'run')[],
  ): Promise<Result<never, SubmitFailure>> {
    const failed = await store.findFailed(about)
    if (!failed.ok) return failed
    const run = failed.value === null ? null : readRun(failed.value)
    const isOwn = run?.issuer === issuer && run.subject === subject
    const runId = isOwn && run.state.failed?.retryable === true ? run.id : null
    return err({ kind: 'already_exists', where, runId })
  }

  async function submitOnRecord(
    caller: Caller,
    request: ScaffoldRequest,
    idempotencyKey: string | null,
    decision: RunDecision,
  ): Promise<Result<Run, SubmitFailure>> {
    const joined = async (run: Run) => {
      await decision.joined(run.id)
      return ok(run)
    }
    const { principal } = caller
    const same = sameRunOf(principal, request, idempotencyKey, clock.now())
    const allowed = authorise(principal, scaffoldersOf(request.team, platformGroup))
    if (!allowed.ok) return allowed
    const earlier = await findSame(same)
    if (!earlier.ok) return earlier
    if (earlier.value !== null) return joined(earlier.value)

    const about = aboutOf({ org: options.gitopsRepository.owner, app: request.appName })
    // Before the name is looked for: a run that ends meanwhile may have taken it.
    const lastEnd = await store.lastEnd(about)
    if (!lastEnd.ok) return lastEnd
    const prepared = await prepare(principal, request)
    if (!prepared.ok) return prepared
    const { spec, taken } = prepared.value
    if (taken.length > 0) {
      // A concurrent repetition of this request may have taken the name.
      const concurrent = await findSame(same)
      if (!concurrent.ok) return concurrent
      return concurrent.value === null
        ? refuseTaken(principal, about, taken)
        : joined(concurrent.value)
    }

    const id = RunId.of(Bun.randomUUIDv7())
    const begun = await decision.begin({ id, spec }, allowed.value)
    if (!begun.ok) return begun
    const right = await requireRight(caller, spec)
    if (!right.ok) return right
    const run = {
      id,
      kind: 'project' as const,
      issuer: principal.issuer,
      subject: principal.subject,
      team: spec.team,
      about,
      request: writeSpec(spec),
      state: writeState(newState(nothingMade)),
      requestHash: same.requestHash,
      idempotencyKey,
      createdAt: clock.now(),
    }
    // Before the start: from then on the runner may work on it.
    const takeBack = right.value && actors.keep(run.id, right.value)
    const started = await store.start(run, same, { lastEnd: lastEnd.value })
    if (!started.ok) return started
    if (started.value.kind !== 'started') takeBack?.()
    if (started.value.kind === 'same') {
      const repeated = await join(started.value.run, same)
      return repeated.ok ? joined(repeated.value) : repeated
    }
    if (started.value.kind === 'taken') return refuseTaken(principal, about, ['run'])
    options.wake()
    const row = { ...run, status: 'running', finishedAt: null, attempts: 0 } as const
    return ok(readRun(row))
  }

  async function previewFor(
    caller: Caller,
    request: ScaffoldRequest,
  ): Promise<Result<Preview, PreviewFailure>> {
    const allowed = authorise(caller.principal, scaffoldersOf(request.team, platformGroup))
    if (!allowed.ok) return allowed
    const prepared = await prepare(caller.principal, request)
    if (!prepared.ok) return prepared
    const right = await requireRight(caller, prepared.value.spec)
    return right.ok ? prepared : right
  }

  const about = ({ appName: app, team }: ScaffoldRequest) => ({ app, team })

  return {
    /** Starts a run, or answers with the run that this request repeats. */
    async submit(
      caller: Caller,
      request: ScaffoldRequest,
      idempotencyKey: string | null,
    ): Promise<Result<Run, SubmitFailure>> {
      const decision = records.decide(caller, 'scaffold.start', about(request))
      const submitted = await submitOnRecord(caller, request, idempotencyKey, decision)
      if (!submitted.ok) await decision.refused(submitted.error)
      return submitted
    },

    /** The files and checks of a run, without any effect. Only a refusal is on record. */
    async preview(
      caller: Caller,
      request: ScaffoldRequest,
    ): Promise<Result<Preview, PreviewFailure>> {
      const preview = await previewFor(caller, request)
      if (!preview.ok) {
        await records.decide(caller, 'scaffold.preview', about(request)).refused(preview.error)
      }
      return preview
    },
  }
}

/** Key of the lock among running runs: the repository's name, whatever the team. */
function aboutOf(project: Pick<ScaffoldSpec, 'org' | 'app'>): string {
  const { owner, name } = repositoryOf(project)
  return `${owner}/${name}`
}

/** A request repeats a run if it has the run's idempotency key, or is the same request while the run was running. */
function sameRunOf(
  { issuer, subject }: Principal,
  request: ScaffoldRequest,
  idempotencyKey: string | null,
  now: number,
): SameRun {
  const idempotency =
    idempotencyKey === null ? null : { key: idempotencyKey, since: now - IDEMPOTENCY_MS }
  return { issuer, subject, requestHash: hashOf(request), since: now, idempotency }
}

/** Independent of the order of the members and of unknown ones. */
function hashOf({
  templateId,
  appName,
  team,
  namespace,
  description = '',
  features = {},
  parameters = {},
}: ScaffoldRequest): string {
  const { database = null, externalSecrets = null, ingress = null } = features
  const members = [templateId, appName, team, namespace, description]
  const values = Object.entries(parameters).toSorted(([one], [other]) => (one < other ? -1 : 1))
  // Without parameters as before there were any: a repeated request finds a run that an older version began.
  const more = values.length === 0 ? [] : [values]
  const text = JSON.stringify([...members, database, externalSecrets, ingress, ...more])
  return createHash('sha256').update(text).digest('hex')
}
