import { createHash } from 'node:crypto'
import { RunId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure, RunRow, RunStore, SameRun } from '../../ports/database.ts'
import type { GitFailure } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { isMember, isPlatform, managersOf, type Principal } from '../access/principal.ts'
import { authorOf } from '../gitops/author.ts'
import type { LoadFailure } from '../catalog/load.ts'
import { type AvailabilityOptions, type Place, placesTaken } from './availability.ts'
import { makePlan, type Plan, type PlanSource } from './plan.ts'
import type { RenderFailure } from './render.ts'
import type { FieldError } from '../field-error.ts'
import { featuresOf, type ScaffoldRequest } from './request.ts'
import { newState, readRun, type Run, writeState } from './run.ts'
import { repositoryOf, type ScaffoldSpec, writeSpec } from './spec.ts'
import type { Template } from './template.ts'
import type { Templates } from './templates.ts'

const IDEMPOTENCY_MS = 24 * 60 * 60_000

export interface SubmitOptions extends AvailabilityOptions, PlanSource {
  readonly templates: Templates
  readonly store: Pick<RunStore, 'start' | 'findSame' | 'findFailed' | 'adoptKey'>
  readonly clock: Clock
  readonly platformGroup: string
  /** Where images are pushed, `ghcr.io/acme`. */
  readonly imageRegistry: string
  readonly tenantAppApiVersion: string
  /** Tells who works on runs that there is one. */
  readonly wake: () => void
}

export type Refusal =
  | { readonly kind: 'forbidden'; readonly required: readonly string[] }
  | { readonly kind: 'template_not_found' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }

export type SubmitFailure =
  | Refusal
  | RenderFailure
  | { readonly kind: 'idempotency_key_reused' }
  | {
      readonly kind: 'already_exists'
      readonly where: readonly (Place | 'run')[]
      /** A run of the same person that failed and can be tried again. */
      readonly runId: RunId | null
    }
  | GitFailure
  | LoadFailure
  | DatabaseFailure

export interface Preview {
  readonly spec: ScaffoldSpec
  readonly plan: Plan
  readonly taken: readonly Place[]
  readonly deprecated: boolean
}

export const mayScaffold = (principal: Principal, team: string, platformGroup: string): boolean =>
  isMember(principal, team) ||
  isMember(principal, managersOf(team)) ||
  isPlatform(principal, platformGroup)

export const scaffoldersOf = (team: string, platformGroup: string): readonly string[] => [
  platformGroup,
  team,
  managersOf(team),
]

export function createSubmit(options: SubmitOptions) {
  const { templates, store, clock, platformGroup } = options

  /** What is asked for, with the template that is meant. Everything that needs no look at what is there already. */
  async function settle(
    principal: Principal,
    request: ScaffoldRequest,
  ): Promise<
    Result<{ readonly spec: ScaffoldSpec; readonly template: Template }, Refusal | GitFailure>
  > {
    const list = await templates.read()
    if (!list.ok) return list
    const template = list.value.templates.find(({ id }) => id === request.templateId)
    if (template === undefined) return err({ kind: 'template_not_found' })
    const { features, faults } = featuresOf(request, template)
    if (faults.length > 0) return err({ kind: 'validation_failed', errors: faults })
    const org = options.gitopsRepository.owner
    const spec: ScaffoldSpec = {
      templateId: template.id,
      templateVersion: template.version,
      templateRevision: template.revision,
      app: request.appName,
      team: request.team,
      org,
      namespace: request.namespace,
      description: request.description ?? '',
      image: `${options.imageRegistry}/${request.appName}`,
      features,
      componentType: template.type,
      templateHasBase: template.gitops.length > 0,
      tenantAppApiVersion: options.tenantAppApiVersion,
      createdBy: {
        subject: principal.subject,
        ...authorOf(principal),
      },
    }
    return ok({ spec, template })
  }

  function authorise(principal: Principal, team: string): Result<void, Refusal> {
    if (mayScaffold(principal, team, platformGroup)) return ok(undefined)
    return err({ kind: 'forbidden', required: scaffoldersOf(team, platformGroup) })
  }

  async function joined(asking: SameRun): Promise<Result<Run | null, SubmitFailure>> {
    const same = await store.findSame(asking)
    if (!same.ok) return same
    return same.value === null ? ok(null) : join(same.value, asking)
  }

  return {
    /** Starts a run, or answers with the one that this is a repetition of. */
    async submit(
      principal: Principal,
      request: ScaffoldRequest,
      idempotencyKey: string | null,
    ): Promise<Result<Run, SubmitFailure>> {
      const asking = askingOf(principal, request, idempotencyKey, clock.now())
      const allowed = authorise(principal, request.team)
      if (!allowed.ok) return allowed
      const earlier = await joined(asking)
      if (!earlier.ok) return earlier
      if (earlier.value !== null) return ok(earlier.value)

      const settled = await settle(principal, request)
      if (!settled.ok) return settled
      const { spec, template } = settled.value
      const plan = await makePlan(options, spec, template)
      if (!plan.ok) return plan
      const about = aboutOf(spec)
      const places = await placesTaken(options, spec)
      if (!places.ok) return places
      if (places.value.length > 0) {
        // Perhaps taken by the same request, which was quicker.
        const quicker = await joined(asking)
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
      if (started.value.kind === 'same') return join(started.value.run, asking)
      if (started.value.kind === 'taken') return taken(principal, about, ['run'])
      options.wake()
      return ok(readRun({ ...run, status: 'running', finishedAt: null, attempts: 0 }))
    },

    /** What would be made, without making it. */
    async preview(
      principal: Principal,
      request: ScaffoldRequest,
    ): Promise<Result<Preview, Refusal | RenderFailure | LoadFailure>> {
      const allowed = authorise(principal, request.team)
      if (!allowed.ok) return allowed
      const settled = await settle(principal, request)
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

  /** With the key that it came with, if the run has none: the next request with that key is the same, too. */
  async function join(row: RunRow, asking: SameRun): Promise<Result<Run, SubmitFailure>> {
    const run = toRun(row, asking)
    if (!run.ok || asking.idempotency === null || row.idempotencyKey !== null) return run
    const adopted = await store.adoptKey(row.id, asking.idempotency.key)
    return adopted.ok ? run : adopted
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

function askingOf(
  { issuer, subject }: Principal,
  request: ScaffoldRequest,
  idempotencyKey: string | null,
  now: number,
): SameRun {
  const idempotency =
    idempotencyKey === null ? null : { key: idempotencyKey, since: now - IDEMPOTENCY_MS }
  return { issuer, subject, requestHash: hashOf(request), since: now, idempotency }
}

/** Of what was asked for, however it was written. */
function hashOf({
  templateId,
  appName,
  team,
  namespace,
  description = '',
  features = {},
}: ScaffoldRequest): string {
  const { database = null, externalSecrets = null, ingress = null } = features
  const asked = [templateId, appName, team, namespace, description]
  const text = JSON.stringify([...asked, database, externalSecrets, ingress])
  return createHash('sha256').update(text).digest('hex')
}

const toRun = (
  row: RunRow,
  { requestHash }: SameRun,
): Result<Run, Extract<SubmitFailure, { kind: 'idempotency_key_reused' }>> =>
  row.requestHash === requestHash ? ok(readRun(row)) : err({ kind: 'idempotency_key_reused' })
