import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../../lib/result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { causesOf, conflict, invalid, invalidValue } from './object-refusal.ts'
import { badRequest, type Outcome } from './refusal.ts'
import { resources } from './resources.ts'

const optionalTexts = Type.Optional(Type.Record(Type.String(), Type.String()))
const Metadata = Type.Object({
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
  uid: Type.String(),
  resourceVersion: Type.String(),
  labels: optionalTexts,
  annotations: optionalTexts,
})

/** A patch may change labels and annotations. Its other metadata must equal that of the object. */
export function readMetadata<Of extends Resource>(
  resource: Of,
  before: Kinds[Of],
  patched: unknown,
): Outcome<Kinds[Of]['metadata']> {
  const { name, namespace, uid, resourceVersion } = before.metadata
  if (!Value.Check(Metadata, patched)) {
    return invalid(resources[resource], name, causesOf('metadata', Metadata, patched))
  }
  if (patched.name !== name) {
    return badRequest(
      `the name of the object (${patched.name}) does not match the name on the URL (${name})`,
    )
  }
  if (patched.namespace !== namespace) {
    return badRequest(
      `the namespace of the object (${patched.namespace}) does not match the namespace on the request (${namespace})`,
    )
  }
  if (patched.uid !== uid) {
    const cause = invalidValue('metadata.uid', patched.uid, 'field is immutable')
    return invalid(resources[resource], name, [cause])
  }
  if (patched.resourceVersion !== resourceVersion) return conflict(resource, name, MODIFIED)
  return ok(withLabels(before.metadata, patched))
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again'

function withLabels<Of extends Kinds[Resource]['metadata']>(
  metadata: Of,
  { labels, annotations }: Pick<Static<typeof Metadata>, 'labels' | 'annotations'>,
): Of {
  return {
    ...metadata,
    ...((labels ?? metadata.labels) && { labels: labels ?? {} }),
    ...((annotations ?? metadata.annotations) && { annotations: annotations ?? {} }),
  }
}
