import { type Static, Type } from 'typebox'

const text = Type.Optional(Type.String())

/** `spec` of a SelfSubjectAccessReview: an action on a resource, or on a path that is none. */
export const ReviewSpec = Type.Object({
  resourceAttributes: Type.Optional(
    Type.Object({
      namespace: text,
      verb: text,
      group: text,
      resource: text,
      subresource: text,
      name: text,
    }),
  ),
  nonResourceAttributes: Type.Optional(Type.Object({ path: text, verb: text })),
})
export type ReviewSpec = Static<typeof ReviewSpec>
