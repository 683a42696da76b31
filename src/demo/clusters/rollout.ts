import type { DeploymentSpec, PodTemplate } from './objects.ts'
import { letters, newMetadata, referenceTo } from './objects.ts'
import { goneAt, type PlannedPod, podAt, readyAt, type World } from './pod.ts'

/** A template that a deployment had, with its replica set. */
export interface Revision {
  readonly number: number
  readonly hash: string
  readonly template: PodTemplate
  readonly createdAt: number
}

/** The desired states of a deployment over time, from which its pods follow, future ones too. */
export interface DeploymentRecord {
  readonly kind: 'Deployment'
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly generation: number
  readonly spec: DeploymentSpec
  readonly createdAt: number
  readonly changedAt: number
  /** Oldest first. */
  readonly revisions: readonly Revision[]
  readonly pods: readonly (PlannedPod & { readonly hash: string; readonly ordinal: number })[]
  /** When the last rollout succeeds; `Infinity` while it is stuck. */
  readonly finishedAt: number
  /** When the last rollout makes its last progress. */
  readonly progressedAt: number
}

const REVISIONS_MAX = 11
/** Pods that are gone, of which there may still be events. */
const GONE_KEPT_MAX = 20
const KEPT_MS = 3_600_000
export const HASH_LABEL = 'pod-template-hash'
const HASH_LENGTH = 9
const SUFFIX_LENGTH = 5

export const maxSurge = ({ replicas, strategy }: DeploymentSpec): number =>
  strategy?.type === 'Recreate' ? 0 : Math.max(Math.ceil(replicas / 4), 1)

/** The record when somebody wants another specification. A new template makes a revision, unless the deployment is paused. */
export function changed(
  before: DeploymentRecord,
  spec: DeploymentSpec,
  now: number,
  world: World,
): DeploymentRecord {
  const newest = before.revisions.at(-1)
  const isNew = !spec.paused && !Bun.deepEquals(newest?.template, spec.template)
  const generation = before.generation + 1
  const revision = { template: spec.template, createdAt: now, number: (newest?.number ?? 0) + 1 }
  const known = before.revisions.find(({ template }) => Bun.deepEquals(template, spec.template))
  const hash = known?.hash ?? letters(JSON.stringify(spec.template), HASH_LENGTH)
  const others = before.revisions.filter((each) => each !== known)
  const revisions = isNew
    ? [...others, { ...revision, ...known, number: revision.number, hash }].slice(-REVISIONS_MAX)
    : before.revisions
  const isRollout = isNew || before.finishedAt > now || before.spec.paused !== spec.paused
  const record = { ...before, spec, generation, revisions, changedAt: now }
  return planned(isRollout ? { ...record, finishedAt: Infinity } : record, now, world)
}

export const replicaSetName = ({ name }: Pick<DeploymentRecord, 'name'>, hash: string): string =>
  `${name}-${hash}`

/**
 * Plans the pods from `now` on by the rules of a rolling update: as many new pods as `maxSurge` allows, and an old pod goes when a new
 * one is ready. Planning again without a change gives the same pods.
 */
export function planned(record: DeploymentRecord, now: number, world: World): DeploymentRecord {
  const { namespace, spec, revisions } = record
  const current = revisions.at(-1)
  if (current === undefined) return record
  const { hash } = current
  const owner = referenceTo({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: newMetadata('ReplicaSet', replicaSetName(record, hash), namespace, current.createdAt),
  })
  const known = record.pods.filter((pod) => pod.createdAt <= now)
  const gone = known.filter((pod) => goneAt(pod, world) <= now)
  const kept = gone.slice(-GONE_KEPT_MAX).filter((pod) => goneAt(pod, world) > now - KEPT_MS)
  let pods = known
    .filter((pod) => kept.includes(pod) || !gone.includes(pod))
    .map((pod) => (pod.deletedAt > now ? { ...pod, deletedAt: Infinity } : pod))
  const template = {
    ...current.template,
    metadata: {
      ...current.template.metadata,
      labels: { ...current.template.metadata?.labels, [HASH_LABEL]: hash },
    },
  }
  const create = (count: number, createdAt: number) => {
    for (let index = 0; index < count; index++) {
      const ordinal = 1 + Math.max(-1, ...pods.map((pod) => pod.ordinal))
      const generateName = `${replicaSetName(record, hash)}-`
      const suffix = letters(`${namespace}/${generateName}${ordinal}`, SUFFIX_LENGTH)
      const identity = { name: `${generateName}${suffix}`, namespace, generateName }
      const pod = { ...identity, template, owner, createdAt, deletedAt: Infinity, hash, ordinal }
      pods = [...pods, pod]
    }
  }
  const isReady = (pod: PlannedPod, at: number) => podAt(pod, at, world).isReady
  /** Pods that are not ready go first, then the younger ones. */
  const remove = (from: typeof pods, count: number, deletedAt: number) => {
    const leaving = from
      .toReversed()
      .toSorted((a, b) => Number(isReady(a, deletedAt)) - Number(isReady(b, deletedAt)))
      .slice(0, Math.max(count, 0))
    pods = pods.map((pod) => (leaving.includes(pod) ? { ...pod, deletedAt } : pod))
  }

  for (let at = now; ;) {
    const live = () => pods.filter(({ deletedAt }) => deletedAt === Infinity)
    const own = () => live().filter((pod) => pod.hash === hash)
    const old = () => live().filter((pod) => pod.hash !== hash)
    remove(own(), own().length - spec.replicas, at)
    if (spec.strategy?.type === 'Recreate') {
      remove(old(), old().length, at)
      const ends = pods.flatMap((pod) => (pod.hash === hash ? [] : goneAt(pod, world)))
      at = Math.max(at, ...ends)
    } else {
      const unready = own().filter((pod) => !isReady(pod, at)).length
      remove(old(), live().length - spec.replicas - unready, at)
    }
    const room = spec.replicas + maxSurge(spec) - live().length
    create(Math.min(room, spec.replicas - own().length), at)
    const turns = own().map((pod) => readyAt(pod, world))
    const isLast = old().length === 0 && own().length === spec.replicas
    const next = isLast ? Infinity : Math.min(...turns.filter((turn) => turn > at))
    if (next !== Infinity) {
      at = next
      continue
    }
    const end = isLast ? Math.max(at, ...turns) : Infinity
    const moves = [...pods.flatMap((pod) => [pod.createdAt, pod.deletedAt]), ...turns]
    const isOver = record.finishedAt !== Infinity
    return {
      ...record,
      pods,
      finishedAt: Math.min(record.finishedAt, end),
      progressedAt: isOver
        ? record.progressedAt
        : Math.max(record.changedAt, ...moves.filter((move) => move !== Infinity)),
    }
  }
}
