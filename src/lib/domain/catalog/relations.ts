import {
  createTimeSlice,
  mergeInSlices,
  sortInSlices,
  visitInSlices,
} from '../../concurrency/time-slice.ts'
import { createBrokenRelations } from './broken-relations.ts'
import { isPending } from './load.ts'
import { byPosition, type CatalogProblem } from './problem.ts'
import { relationOf, type StatedRelation, targetOf } from './reference.ts'
import type { CatalogEntity, Snapshot } from './snapshot.ts'

/** Each type that files state, with the type of the other way. */
const INVERSES = {
  dependsOn: 'dependencyOf',
  providesApi: 'apiProvidedBy',
  consumesApi: 'apiConsumedBy',
  partOf: 'hasPart',
  ownedBy: 'ownerOf',
} as const satisfies Record<StatedRelation, string>

/** In the order of answers. */
export const relationTypes = [
  'dependsOn',
  'dependencyOf',
  'providesApi',
  'apiProvidedBy',
  'consumesApi',
  'apiConsumedBy',
  'partOf',
  'hasPart',
  'ownedBy',
  'ownerOf',
] as const satisfies readonly (StatedRelation | (typeof INVERSES)[StatedRelation])[]

export type RelationType = (typeof relationTypes)[number]

export interface Relation {
  readonly type: RelationType
  /** As the file names the other entity; for a relation that the other file states, `kind:name`. */
  readonly ref: string
  /** `null` when the catalog has no such entity. */
  readonly target: CatalogEntity | null
}

/** The relations of one snapshot, both ways. A cycle is two relations. */
export interface Relations {
  /** By type; those that the entity states as in its file, the others by kind and name. */
  of(entity: CatalogEntity): Promise<readonly Relation[]>
  /** The problems of the snapshot and those of its relations, sorted. */
  readonly problems: readonly CatalogProblem[]
}

/** The types that lead from an entity to what it cannot work without, and those that lead to what cannot work without it. */
const DIRECTIONS: readonly ReadonlySet<RelationType>[] = [
  new Set(['dependsOn', 'consumesApi', 'apiProvidedBy']),
  new Set(['dependencyOf', 'apiConsumedBy', 'providesApi']),
]

/** The dependencies of the dependency, or the dependants of the dependant. `undefined` for other relations, and for one to itself. */
export async function furtherOf(
  relations: Relations,
  entity: CatalogEntity,
  { type, target }: Relation,
): Promise<readonly Relation[] | undefined> {
  const direction = DIRECTIONS.find((types) => types.has(type))
  if (direction === undefined || target === null || target === entity) return undefined
  return (await relations.of(target)).filter((further) => direction.has(further.type))
}

const known = new WeakMap<Snapshot['entities'], Promise<Relations>>()

/** Collected at the first use of a snapshot, so that no load takes longer. */
export function relationsIn(snapshot: Snapshot): Promise<Relations> {
  const { entities } = snapshot
  const relations = known.get(entities) ?? collect(snapshot)
  known.set(entities, relations)
  return relations
}

async function collect(snapshot: Snapshot): Promise<Relations> {
  const { entities, byRef } = snapshot
  const pause = createTimeSlice()
  const kinds = new Set<string>()
  await visitInSlices(entities, pause, ({ lowerCase }) => kinds.add(lowerCase.kind))
  const inverses = new Map<string, Relation[]>()
  const broken: CatalogProblem[] = []
  const problems = createBrokenRelations(broken, kinds)
  await visitInSlices(
    statementsOf(entities),
    pause,
    ({ entity, reference, target, isRepeated }) => {
      if (isRepeated) return
      const other = target === undefined ? undefined : byRef.get(target)
      if (other === undefined) return problems.addBroken(entity, reference)
      if (other === entity) problems.addToItself(entity, reference)
      const type = INVERSES[relationOf(reference)]
      const relation = { type, ref: `${entity.lowerCase.kind}:${entity.card.name}`, target: entity }
      const known = inverses.get(other.ref)
      if (known === undefined) inverses.set(other.ref, [relation])
      else known.push(relation)
    },
  )
  problems.end()
  // A file that is not read yet may have the missing entity.
  const named = isPending(snapshot) ? [] : await sortInSlices(broken, byPosition, pause)

  return {
    async of(entity) {
      const own: Relation[] = []
      await visitInSlices(statementsOf([entity]), createTimeSlice(), (statement) => {
        const { reference, target, isRepeated } = statement
        if (isRepeated) return
        const other = target === undefined ? undefined : byRef.get(target)
        own.push({ type: relationOf(reference), ref: reference.text, target: other ?? null })
      })
      const all = own.concat(inverses.get(entity.ref) ?? [])
      return relationTypes.flatMap((wanted) => all.filter(({ type }) => type === wanted))
    },
    problems: await mergeInSlices(snapshot.problems, named, byPosition, pause),
  }
}

/** All references, one by one. A repetition names the entity of an earlier one, in whatever spelling. */
export function* statementsOf(entities: readonly CatalogEntity[]) {
  for (const entity of entities) {
    const seen = new Set<string>()
    for (const reference of entity.references) {
      const target = targetOf(reference)
      const key = `${relationOf(reference)} ${target ?? reference.text}`
      yield { entity, reference, target, isRepeated: seen.has(key) }
      seen.add(key)
    }
  }
}
