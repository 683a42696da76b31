import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { ClusterFailure, Page } from '../../../ports/clusters.ts'
import {
  KubernetesDeployment,
  KubernetesEvent,
  KubernetesPod,
} from '../../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../../result.ts'
import { readJson, UNREADABLE } from './read-json.ts'
import { readList } from './read-list.ts'

/** Longer than any object that etcd holds. */
const OBJECT_MAX_BYTES = 4 * 1024 * 1024

/** It becomes a part of our own cursor, and that of a header. */
const CONTINUE_MAX_CHARACTERS = 4_096

type Read<Value> = (response: Response) => Promise<Result<Value, ClusterFailure>>

/** A kind of object: how one is told from anything else, and how one and a list of them are read from an answer. */
export interface Kind<Item> {
  readonly is: (value: unknown) => value is Item
  readonly read: Read<Item>
  /** Each is shown as it arrives, and not kept. More than were asked for are no answer. */
  readonly list: <Shown>(limit: number, show: (item: Item) => Shown) => Read<Page<Shown>>
}

const List = lazily(() =>
  Compile(
    Type.Object({
      metadata: Type.Object({
        resourceVersion: Type.String(),
        continue: Type.Optional(Type.String({ maxLength: CONTINUE_MAX_CHARACTERS })),
      }),
      items: Type.Union([Type.Array(Type.Unknown(), { maxItems: 0 }), Type.Null()]),
    }),
  ),
)

function kindOf<Schema extends TSchema>(schema: Schema): Kind<Static<Schema>> {
  const item = lazily(() => Compile(schema))
  return {
    is: (value) => item().Check(value),
    async read(response) {
      const body = await readJson(response, OBJECT_MAX_BYTES)
      if (!body.ok) return body
      return item().Check(body.value) ? ok(body.value) : UNREADABLE
    },
    list: (limit, show) => async (response) => {
      const items: ReturnType<typeof show>[] = []
      const check = item()
      const around = await readList(response, OBJECT_MAX_BYTES, (value) => {
        if (items.length === limit || !check.Check(value)) return false
        items.push(show(value))
        return true
      })
      if (!around.ok) return around
      if (!List().Check(around.value)) return UNREADABLE
      const { resourceVersion, continue: next = '' } = around.value.metadata
      return ok({ items, next: next === '' ? null : next, resourceVersion })
    },
  }
}

export const podKind = kindOf(KubernetesPod)
export const deploymentKind = kindOf(KubernetesDeployment)
export const eventKind = kindOf(KubernetesEvent)
