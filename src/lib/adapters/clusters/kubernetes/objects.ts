import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import type { ClusterFailure, Page } from '../../../ports/clusters.ts'
import {
  KubernetesAccessReview,
  KubernetesEvent,
  KubernetesNamespace,
} from '../../../ports/kubernetes-objects.ts'
import { ok, type Result } from '../../../result.ts'
import { readJson, UNREADABLE } from './read-json.ts'
import { readList } from './read-list.ts'

/** More than the largest object that etcd stores. */
const OBJECT_MAX_BYTES = 4 * 1024 * 1024

/** The token becomes part of our cursor and of a `Link` header. */
const CONTINUE_MAX_CHARACTERS = 4_096

type Read<Value> = (response: Response) => Promise<Result<Value, ClusterFailure>>

/** A kind of Kubernetes object, and how one object and a list of them are read from an answer. */
export interface Kind<Item> {
  readonly is: (value: unknown) => value is Item
  readonly read: Read<Item>
  /** A list with more than `limit` items is rejected. */
  readonly list: <View>(limit: number, view: (item: Item) => View) => Read<Page<View>>
}

const ListEnvelope = lazily(() =>
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

const checks = new WeakMap<TSchema, (value: unknown) => boolean>()

/** Compiled at the first use of a schema and kept: it takes milliseconds, and every request asks for its collections anew. */
const checkOf = (schema: TSchema): ((value: unknown) => boolean) =>
  checks.getOrInsertComputed(schema, () => {
    const compiled = Compile(schema)
    return (value) => compiled.Check(value)
  })

export function kindOf<Schema extends TSchema>(schema: Schema): Kind<Static<Schema>> {
  const is = (value: unknown): value is Static<Schema> => checkOf(schema)(value)
  return {
    is,
    async read(response) {
      const body = await readJson(response, OBJECT_MAX_BYTES)
      if (!body.ok) return body
      return is(body.value) ? ok(body.value) : UNREADABLE
    },
    list: (limit, view) => async (response) => {
      const items: ReturnType<typeof view>[] = []
      const list = await readList(response, OBJECT_MAX_BYTES, (value) => {
        if (items.length === limit || !is(value)) return false
        items.push(view(value))
        return true
      })
      if (!list.ok) return list
      const { envelope, bytes } = list.value
      if (!ListEnvelope().Check(envelope)) return UNREADABLE
      const { resourceVersion, continue: next = '' } = envelope.metadata
      return ok({ items, next: next === '' ? null : next, resourceVersion, bytes })
    },
  }
}

export const namespaceKind = kindOf(KubernetesNamespace)
export const accessReviewKind = kindOf(KubernetesAccessReview)
export const eventKind = kindOf(KubernetesEvent)
