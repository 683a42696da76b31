import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../../result.ts'
import type { Kinds, Resource } from '../objects.ts'
import { causesOf, conflict, invalid } from './object-refusal.ts'
import { badRequest, type Outcome } from './refusal.ts'
import { resources } from './resources.ts'

const texts = Type.Optional(Type.Record(Type.String(), Type.String()))
const Metadata = Type.Object({
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
  uid: Type.String(),
  resourceVersion: Type.String(),
  labels: texts,
  annotations: texts,
})

/** A patch changes labels and annotations. What else it says of the object has to be true of it. */
export function readMetadata<Of extends Resource>(
  resource: Of,
  before: Kinds[Of],
  patched: unknown,
): Outcome<Kinds[Of]['metadata']> {
  const { name, namespace, uid, resourceVersion } = before.metadata
  if (!Value.Check(Metadata, patched)) {
    return invalid(resources[resource], name, causesOf('metadata', Value.Errors(Metadata, patched)))
  }
  if (patched.name !== name || patched.namespace !== namespace) {
    return badRequest('the name of the object does not match the name on the URL')
  }
  if (patched.uid !== uid) {
    return conflict(resource, name, 'Precondition failed: UID in precondition does not match')
  }
  if (patched.resourceVersion !== resourceVersion) return conflict(resource, name, MODIFIED)
  return ok(withTexts(before.metadata, patched))
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again'

function withTexts<Of extends Kinds[Resource]['metadata']>(
  metadata: Of,
  { labels, annotations }: Pick<Static<typeof Metadata>, 'labels' | 'annotations'>,
): Of {
  return {
    ...metadata,
    ...((labels ?? metadata.labels) && { labels: labels ?? {} }),
    ...((annotations ?? metadata.annotations) && { annotations: annotations ?? {} }),
  }
}
