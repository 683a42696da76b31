import { Type } from 'typebox'
import { Nullable } from '../schema/nullable.ts'

/** A person in an answer. */
export const Person = Type.Object(
  {
    subject: Nullable(
      Type.String({
        description: 'Subject at the identity provider; `null`: not known to the portal',
      }),
    ),
    name: Type.String(),
  },
  { $id: 'Person' },
)
