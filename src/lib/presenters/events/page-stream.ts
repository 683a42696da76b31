import { type TSchema, Type } from 'typebox'
import type { PageEvent } from '../../domain/events/page-events.ts'
import { eventContent, variants } from '../../http/event-content.ts'
import { streamedProblem } from '../../http/problem.ts'
import { StreamedProblem } from '../../http/problem-schema.ts'
import type { SentEvent } from '../../http/sse.ts'
import { Deployment, Pod, Snapshot } from '../clusters/schemas.ts'
import { MoveDone, MoveStep } from '../promotion/run.ts'
import { Workload } from '../clusters/workload-schemas.ts'
import { RunDone, RunFailed, RunStep } from '../scaffold/schemas.ts'

/** Renders the events of a page's topics. */
export async function* renderPage(
  events: AsyncIterable<PageEvent>,
): AsyncGenerator<SentEvent, void, void> {
  for await (const { id, topic, ...outcome } of events) {
    const { type, value } =
      outcome.kind === 'event'
        ? outcome.event
        : { type: outcome.kind, value: streamedProblem(outcome.failure) }
    yield { id, event: topic.kind, data: JSON.stringify({ topic: topic.name, type, value }) }
  }
}

/** Data of the events of one kind of topic, by their type. */
const topic = (name: string, types: Readonly<Record<string, TSchema>>) =>
  variants(name, 'type', { ...types, refused: StreamedProblem }, (value) => ({
    topic: Type.String(),
    value,
  }))

const list = (name: string, item: TSchema) =>
  topic(name, { snapshot: Snapshot(item), set: item, removed: item, failed: StreamedProblem })

const RevisionTopic = topic('RevisionTopic', {
  changed: Type.Object({ revision: Type.String() }, { $id: 'Revision' }),
})

/** For the OpenAPI document. */
export const pageStream = eventContent(
  'TopicEvent',
  {
    catalog: RevisionTopic,
    promotion: RevisionTopic,
    promotions: RevisionTopic,
    run: topic('RunTopic', {
      step: Type.Union([RunStep, MoveStep]),
      done: Type.Union([RunDone, MoveDone]),
      failed: RunFailed,
    }),
    pods: list('PodTopic', Pod),
    deployments: list('DeploymentTopic', Deployment),
    workloads: list('WorkloadTopic', Workload),
  },
  {
    description:
      'Each event is named after the first word of its topic, and its data is `{ "topic", "type", "value" }`. `catalog`: `changed` with the revision, at the beginning and after each change; the revision has a suffix while files of a large change are still to be read. Then read again what the page shows. `promotion`: the same for the promotion state of an entity; its revision is no commit, and stays while other applications change. `promotions`: the same for the environments and open moves of all applications. `run`: `step`, `done`, `failed`, as in the stream of the run. `pods`, `deployments` and `workloads`: `snapshot`, `set`, `removed`, as in the streams of the lists of pods and deployments; `failed`, with the problem, while the cluster cannot be asked: Portico tries again, and a new snapshot follows. A topic that you may not see, or no longer, has one event `refused` with the problem, and the others go on',
    example:
      'id: Pq3l0A:1a2B3c4D5e6F\nevent: catalog\ndata: {"topic":"catalog","type":"changed","value":{"revision":"9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7"}}\n\n',
  },
)
