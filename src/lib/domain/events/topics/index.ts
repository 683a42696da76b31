import type { ParseTopic } from '../topic.ts'
import { clusterListTopic, type ListTopicOptions } from './cluster-list.ts'
import { catalogTopic, promotionsTopic, promotionTopic } from './revisions.ts'
import { runTopic, type RunTopicOptions } from './run.ts'

export interface TopicsOptions extends RunTopicOptions, Pick<ListTopicOptions, 'admit'> {
  readonly catalog: Parameters<typeof catalogTopic>[0]
  readonly promotions: Parameters<typeof promotionTopic>[0]
  readonly clusters: Record<'pods' | 'deployments' | 'workloads', Pick<ListTopicOptions, 'follow'>>
}

export type Topics = ReturnType<typeof createTopics>

/** Lists of which one object can be followed too. */
const NAMED = { isNamed: true }

/** Every kind of topic, by the first word of its name. */
export const createTopics = (options: TopicsOptions) =>
  ({
    catalog: catalogTopic(options.catalog),
    promotion: promotionTopic(options.promotions),
    promotions: promotionsTopic(options.promotions),
    run: runTopic(options),
    pods: clusterListTopic({ ...options, ...options.clusters.pods }, NAMED),
    deployments: clusterListTopic({ ...options, ...options.clusters.deployments }, NAMED),
    workloads: clusterListTopic({ ...options, ...options.clusters.workloads }),
  }) as const satisfies Record<string, ParseTopic>
