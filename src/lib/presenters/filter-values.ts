import { Type } from 'typebox'

const VALUES_MAX = 50
const VALUE_MAX_CHARACTERS = 200

/** A query parameter with values of which one must match. Without values everything matches. */
export const FilterValues = (description: string) =>
  Type.Array(Type.String({ maxLength: VALUE_MAX_CHARACTERS }), {
    maxItems: VALUES_MAX,
    default: [],
    description,
  })
