import type { ObjectFacts } from '../resources.ts'
import type { PodFacts } from './pod-facts.ts'
import { verdictOf } from './verdict.ts'
import type { Verdict, WorkloadFacts } from './workload.ts'

/** An object that runs pods, as answers show it. */
export interface Workload
  extends
    Verdict,
    Omit<WorkloadFacts, 'controller' | 'own' | 'podRevision' | 'startupMs' | 'dueAt'> {}

export interface NamespaceObjects {
  /** Everything that runs pods, bare pods too. */
  readonly workloads: readonly WorkloadFacts[]
  /** `null` when they cannot be read. */
  readonly pods: readonly PodFacts[] | null
}

/** The objects of types; `null` for a type that cannot be read. */
export function objectsOf(
  types: readonly { readonly kind: string; readonly items: Iterable<ObjectFacts> | null }[],
): NamespaceObjects {
  const all = types.flatMap(({ items }) => [...(items ?? [])])
  const arePodsRead = types.some(({ kind, items }) => kind === 'Pod' && items !== null)
  return {
    workloads: all.flatMap(({ workload }) => workload ?? []),
    pods: arePodsRead ? all.flatMap(({ pod }) => pod ?? []) : null,
  }
}

/** Longest chain of controllers. */
const DEPTH_MAX = 4

/**
 * Workloads that no other one controls, each with the verdict on it and all that belongs to it, by name.
 * A replica set of a deployment and a job of a cron job are part of that.
 */
export function joinWorkloads(
  { workloads, pods }: NamespaceObjects,
  now: number,
): readonly Workload[] {
  const byUid = new Map(workloads.map((each) => [each.uid, each]))
  const rootOf = (of: Pick<WorkloadFacts, 'uid' | 'controller'>): string => {
    let { uid, controller } = of
    for (let depth = 0; controller !== null && depth < DEPTH_MAX; depth++) {
      const above = byUid.get(controller.uid)
      if (above === undefined) break
      ;({ uid, controller } = above)
    }
    return uid
  }
  const podsOf = pods && Map.groupBy(pods, rootOf)
  const partsOf = Map.groupBy(
    workloads.filter(({ controller }) => controller !== null),
    rootOf,
  )
  return workloads
    .filter((each) => each.controller === null || !byUid.has(each.controller.uid))
    .map((each) => {
      const parts = partsOf.get(each.uid) ?? []
      const own = podsOf && (podsOf.get(each.uid) ?? [])
      return shown(each, verdictOf(each, { pods: own, ...lineageOf(each, parts, now) }, now))
    })
    .toSorted(
      (one, other) =>
        one.name.localeCompare(other.name, 'en') || one.kind.localeCompare(other.kind, 'en'),
    )
}

function lineageOf(each: WorkloadFacts, parts: readonly WorkloadFacts[], now: number) {
  const current = parts.find(
    ({ kind, revision }) => kind === 'ReplicaSet' && revision === each.revision,
  )
  const [latest] = parts
    .filter(({ kind }) => kind === 'Job')
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
  return {
    newest: each.podRevision ?? current?.podRevision ?? null,
    lastRun:
      each.kind === 'CronJob' && latest !== undefined
        ? verdictOf(latest, { pods: null, newest: null, lastRun: null }, now)
        : null,
  }
}

function shown(facts: WorkloadFacts, verdict: Verdict): Workload {
  const { controller: _, own: __, podRevision: ___, startupMs: ____, dueAt: _____, ...rest } = facts
  return { ...rest, ...verdict }
}
