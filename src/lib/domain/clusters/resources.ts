import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Subdomain } from '../../names.ts'
import type {
  ClusterAccess,
  ClusterFailure,
  Kubernetes,
  ObjectType,
  Watch,
  WatchStart,
} from '../../ports/clusters.ts'
import {
  KubernetesCronJob,
  KubernetesDaemonSet,
  KubernetesDeployment,
  KubernetesDescribed,
  KubernetesJob,
  KubernetesPod,
  KubernetesReplicaSet,
  KubernetesStatefulSet,
} from '../../ports/kubernetes-objects.ts'
import { err, ok, type Result } from '../../result.ts'
import { type AllPages, readAllPages } from './all-pages.ts'
import { deploymentView, laterDeploymentView } from './deployment.ts'
import { podView } from './pod.ts'
import { selectorText } from './selector-text.ts'
import { cronJobFacts, jobFacts } from './workloads/jobs.ts'
import { type PodFacts, podFacts, podWorkload } from './workloads/pod-facts.ts'
import {
  daemonSetFacts,
  deploymentFacts,
  replicaSetFacts,
  statefulSetFacts,
} from './workloads/sets.ts'
import { type ConditionView, conditionView, type WorkloadFacts } from './workloads/workload.ts'

/** Facts of an object of any type. */
export interface ObjectFacts {
  readonly uid: string
  /** `null` for a pod that another workload controls. */
  readonly workload: WorkloadFacts | null
  readonly pod: PodFacts | null
}

interface ResourceType<Schema extends TSchema> extends Omit<ObjectType<Schema>, 'plural'> {
  readonly kind: string
  readonly facts: (object: Static<Schema>) => ObjectFacts
  /** Whether `kubectl rollout restart` restarts it. */
  readonly restarts?: boolean
}

/** Erases the schema, so that all rows are of one type. */
const resource = <Schema extends TSchema>({
  facts,
  restarts = false,
  ...api
}: ResourceType<Schema>) => {
  const type = { ...api, plural: `${api.kind.toLowerCase()}s` }
  return {
    ...type,
    facts,
    restarts,
    /** Reads the facts of the objects of the type. */
    sourceIn(kubernetes: Pick<Kubernetes, 'objects'>): FactsSource {
      const collection = kubernetes.objects(type)
      return {
        async read(access, name) {
          const object = await collection.read(access, name)
          if (!object.ok) return object
          return ok({ facts: facts(object.value), ...descriptionOf(object.value) })
        },
        async list(access, labelSelector) {
          const listed = await readAllPages(
            (page) => collection.list(access, { ...page, labelSelector }, facts),
            WATCHED_PAGES_MAX,
          )
          return listed.ok && !listed.value.isComplete ? err(ENDLESS) : listed
        },
        watch: (access, from) => collection.watch(access, from, facts),
      }
    },
  }
}

export interface ReadObject {
  readonly facts: ObjectFacts
  /** Label selector of its pods, as text of a query; `null` for an object that selects none. */
  readonly selector: string | null
  readonly conditions: readonly ConditionView[]
  /** Those of its template; `null` without one. */
  readonly podLabels: Readonly<Record<string, string>> | null
}

export interface FactsSource {
  read(access: ClusterAccess, name: Subdomain): Promise<Result<ReadObject, ClusterFailure>>
  /** All objects of the namespace. */
  list(
    access: ClusterAccess,
    labelSelector: string | null,
  ): Promise<Result<AllPages<ObjectFacts>, ClusterFailure>>
  watch(access: ClusterAccess, from: WatchStart): Watch<ObjectFacts>
}

/** A watch has to begin with all objects of a namespace. */
const WATCHED_PAGES_MAX = 100
const ENDLESS = { kind: 'cluster_error', reason: 'a list without an end' } as const

/** Members that objects of all types may have, beside their facts. */
function descriptionOf(object: unknown): Omit<ReadObject, 'facts'> {
  const { spec = {}, status = {} } = Value.Check(KubernetesDescribed, object) ? object : {}
  return {
    selector: spec.selector === undefined ? null : selectorText(spec.selector),
    conditions: (status.conditions ?? []).map(conditionView),
    podLabels: spec.template?.metadata?.labels ?? null,
  }
}

const APPS = { group: 'apps', version: 'v1' } as const
const BATCH = { group: 'batch', version: 'v1' } as const

const only =
  <Item>(facts: (object: Item) => WorkloadFacts) =>
  (object: Item): ObjectFacts => {
    const workload = facts(object)
    return { uid: workload.uid, workload, pod: null }
  }

/**
 * The types of objects that people see. Lists, watches, workloads with their health, restarts, and the kinds of the API and the console
 * follow from a row. The key is how people ask for it: the kind in lower case.
 */
export const RESOURCES = {
  deployment: {
    ...resource({
      ...APPS,
      kind: 'Deployment',
      schema: KubernetesDeployment,
      facts: only(deploymentFacts),
      restarts: true,
    }),
    view: deploymentView,
    laterView: laterDeploymentView,
  },
  statefulset: resource({
    ...APPS,
    kind: 'StatefulSet',
    schema: KubernetesStatefulSet,
    facts: only(statefulSetFacts),
    restarts: true,
  }),
  daemonset: resource({
    ...APPS,
    kind: 'DaemonSet',
    schema: KubernetesDaemonSet,
    facts: only(daemonSetFacts),
    restarts: true,
  }),
  job: resource({ ...BATCH, kind: 'Job', schema: KubernetesJob, facts: only(jobFacts) }),
  cronjob: resource({
    ...BATCH,
    kind: 'CronJob',
    schema: KubernetesCronJob,
    facts: only(cronJobFacts),
  }),
  replicaset: resource({
    ...APPS,
    kind: 'ReplicaSet',
    schema: KubernetesReplicaSet,
    facts: only(replicaSetFacts),
  }),
  pod: {
    ...resource({
      group: '',
      version: 'v1',
      kind: 'Pod',
      schema: KubernetesPod,
      facts: podObject,
    }),
    view: podView,
    laterView: () => null,
  },
}

export type ResourceName = keyof typeof RESOURCES

/** Kinds that make pods. Ten thousand pods of theirs are no workloads of their own. */
const MAKERS: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'])

function podObject(pod: KubernetesPod): ObjectFacts {
  const facts = podFacts(pod)
  const isMade = facts.controller !== null && MAKERS.has(facts.controller.kind)
  return { uid: facts.uid, workload: isMade ? null : podWorkload(pod), pod: facts }
}
