import { AppName, type RepositoryId, type TeamName } from '../../names.ts'
import type { GitFailure, Head } from '../../ports/git-host.ts'
import { allOk, err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { RequestFacts } from '../audit/audit.ts'
import { type EntityCard, entityRef } from '../catalog/entity.ts'
import type { LoadFailure } from '../catalog/load-failure.ts'
import { teamOwner } from '../catalog/owner.ts'
import type { CatalogEntity } from '../catalog/snapshot.ts'
import { suggest } from '../catalog/suggest.ts'
import type { ApplicationId } from '../gitops/application.ts'
import { ABSENT, type Application } from './application.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { Lifecycle, Pipeline } from './pipeline.ts'
import { type ProposedMove, readPulls } from './move.ts'

/** Reasons why an entity cannot be promoted, for people. */
export const UNPROMOTABLE = {
  owner_missing: 'it has no spec.owner',
  owner_invalid: 'its spec.owner is not group:<org>/<team>',
  owner_foreign: 'its spec.owner belongs to another organisation',
  name_unusable: 'its name is not a valid application name',
  lifecycle_unknown: 'its spec.lifecycle is not a known one',
  application_missing: 'there is no folder apps/<team>/<name>',
} as const

type UnpromotableReason = keyof typeof UNPROMOTABLE

/** The application that an entity names. */
export type Ownership = Owned | Unowned

interface Owned extends ApplicationId {
  readonly kind: 'owned'
  readonly lifecycle: Lifecycle
}

/** Why an entity names no application that can be promoted. */
interface Unowned extends NotPromotable {
  readonly team: TeamName | null
  readonly app: AppName | null
}

export function ownershipOf(
  card: Pick<EntityCard, 'name' | 'owner' | 'lifecycle'>,
  repository: Pick<RepositoryId, 'owner'>,
  pipeline: Pick<Pipeline, 'parseLifecycle'>,
): Ownership {
  const not = (
    reason: UnpromotableReason,
    team: TeamName | null = null,
    app: AppName | null = null,
  ): Ownership => ({ kind: 'not_promotable', reason, team, app })
  if (card.owner === null) return not('owner_missing')
  const owner = teamOwner(card.owner)
  if (owner === undefined) return not('owner_invalid')
  if (owner.organisation !== repository.owner) return not('owner_foreign')
  const { team } = owner
  const app = AppName.parse(card.name)
  if (app === undefined) return not('name_unusable', team)
  const lifecycle = pipeline.parseLifecycle(card.lifecycle)
  return lifecycle === undefined
    ? not('lifecycle_unknown', team, app)
    : { kind: 'owned', team, app, lifecycle }
}

export interface EntityName {
  readonly kind: string
  readonly name: string
}

/** A person's request that names an entity. */
export interface EntityRequest extends RequestFacts, EntityName {
  readonly principal: Principal
}

/** The requested entity at one commit of the default branch. Only its name comes from the request. */
export interface Subject extends EntityAtHead {
  readonly eligibility: Promotable | Unpromotable
}

export interface Promotable extends ApplicationId {
  readonly kind: 'promotable'
  readonly lifecycle: Lifecycle
  readonly application: Application
  /** The portal's own open pull requests of the application, newest first. */
  readonly pulls: readonly ProposedMove[]
}

/** Why an entity cannot be promoted. Its team, besides the platform team, may see the reason. */
export interface Unpromotable extends Unowned {
  /** Those of its application, if it names one: a deprecation needs nothing else. */
  readonly pulls: readonly ProposedMove[]
}

export interface NotPromotable {
  readonly kind: 'not_promotable'
  readonly reason: UnpromotableReason
}

export type SubjectFailure =
  | { readonly kind: 'entity_not_found'; readonly suggestions: readonly string[] }
  | { readonly kind: 'entity_ambiguous' }
  | GitFailure
  | LoadFailure

/** An entity at one commit of the default branch. */
interface EntityAtHead extends Head {
  readonly entity: CatalogEntity
}

export async function readEntity(
  { catalog }: Pick<PromotionDeps, 'catalog'>,
  { kind, name }: EntityName,
): Promise<Result<EntityAtHead, SubjectFailure>> {
  const head = await catalog.atHead()
  if (!head.ok) return head
  const { branch, snapshot } = head.value
  const ref = entityRef(kind, name)
  const entity = snapshot.byRef.get(ref)
  if (entity === undefined) {
    const suggestions = suggest(snapshot.entities, kind, name)
    return err({ kind: 'entity_not_found', suggestions })
  }
  if (snapshot.ambiguous.has(ref)) return err({ kind: 'entity_ambiguous' })
  // The commit has another version of its file.
  if (snapshot.leftOut.has(entity.path)) return err({ kind: 'catalog_loading' })
  return ok({ entity, branch, commit: snapshot.commit })
}

/** With the application that the entity names, also where its lifecycle is unknown. */
export async function readNamed(
  deps: PromotionDeps,
  entityRequest: EntityName,
): Promise<Result<EntityAtHead & ApplicationId, SubjectFailure | NotPromotable>> {
  const read = await readEntity(deps, entityRequest)
  if (!read.ok) return read
  const named = namedBy(ownershipOf(read.value.entity.card, deps.repository, deps.pipeline))
  return named.ok ? ok({ ...read.value, ...named.value }) : named
}

function namedBy(ownership: Ownership): Result<ApplicationId, NotPromotable> {
  if (ownership.kind === 'owned') return ok(ownership)
  const { team, app, reason } = ownership
  return team === null || app === null ? err({ kind: 'not_promotable', reason }) : ok({ team, app })
}

export async function readSubject(
  deps: PromotionDeps,
  entityRequest: EntityName,
): Promise<Result<Subject, SubjectFailure>> {
  const found = await readEntity(deps, entityRequest)
  if (!found.ok) return found
  const { entity, branch, commit } = found.value
  const ownership = ownershipOf(entity.card, deps.repository, deps.pipeline)
  const { team, app } = ownership
  const read = await allOk([
    ownership.kind === 'owned' ? deps.applications.read(commit, ownership) : ok(ABSENT),
    team === null || app === null ? ok([]) : readPulls(deps, branch, { team, app }),
  ])
  if (!read.ok) return read
  const [application, pulls] = read.value
  const eligibility = eligibilityOf(ownership, application, pulls)
  return ok({ ...found.value, eligibility })
}

function eligibilityOf(
  ownership: Ownership,
  application: Application,
  pulls: readonly ProposedMove[],
): Promotable | Unpromotable {
  if (ownership.kind === 'not_promotable') return { ...ownership, pulls }
  if (application.exists) return { ...ownership, kind: 'promotable', application, pulls }
  const { team, app } = ownership
  return { kind: 'not_promotable', reason: 'application_missing', team, app, pulls }
}
