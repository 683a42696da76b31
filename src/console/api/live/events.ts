import type { components } from '../schema.gen.ts'
import type { Problem } from '../result.ts'

export type Pod = components['schemas']['Pod']
export type Deployment = components['schemas']['Deployment']
export type Workload = components['schemas']['Workload']

/** An event of `GET /api/v1/events`; the value depends on the topic and the type. */
export interface TopicEvent {
  readonly topic: string
  readonly type: string
  readonly value: unknown
}

/** Names of the stream's events: the first words of topics. */
export const EVENT_NAMES = [
  'catalog',
  'promotion',
  'promotions',
  'run',
  'pods',
  'deployments',
  'workloads',
]

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const OBJECT = `(?=[^?]{1,253}(?:\\?|$))[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*`
const TOPIC = new RegExp(
  `^(?:catalog|promotions|promotion:[a-z][a-z0-9]{0,62}/${LABEL}|run:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:workloads:${LABEL}/${LABEL}|(?:pods|deployments):${LABEL}/${LABEL}(?:/${OBJECT})?)(?:\\?[^,]+)?)$`,
)

/** Whether the API knows topics of this form. One that it does not know would end the stream of all tabs. */
export const isTopic = (name: string): boolean => TOPIC.test(name)

export const isListTopic = (topic: string) => /^(?:pods|deployments|workloads):/.test(topic)

export interface Listed {
  readonly uid: string
  readonly name: string
}

interface Snapshot<Item> {
  readonly first: boolean
  readonly last: boolean
  readonly items: readonly Item[]
}

export type ListEvent<Item extends Listed> =
  | { readonly type: 'snapshot'; readonly value: Snapshot<Item> }
  | { readonly type: 'set' | 'removed'; readonly value: Item }
  | { readonly type: 'failed' | 'refused'; readonly value: Problem }
