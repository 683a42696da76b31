import { type Static, Type } from 'typebox'
import { OneLine } from '../../../schema/one-line.ts'

/** Longest value of a text, in characters. */
export const TEXT_VALUE_MAX = 200
const PROPERTIES_MAX = 50
const CHOICES_MAX = 100
const EXAMPLES_MAX = 20
const ANNOTATION_MAX = 500
const PATTERN_MAX = 500

/** Value of a parameter. JSON Schema calls these scalars by three types. */
export const ParameterValue = Type.Unsafe<string | number | boolean>({
  $id: 'ParameterValue',
  type: ['string', 'number', 'boolean'],
})
export type ParameterValue = Static<typeof ParameterValue>

/** As in a placeholder. */
export const PARAMETER_NAME = '[A-Za-z][0-9A-Za-z_-]{0,62}'

const Annotation = Type.Optional(OneLine({ minLength: 1, maxLength: ANNOTATION_MAX }))
const Length = Type.Optional(Type.Integer({ minimum: 0, maximum: TEXT_VALUE_MAX }))
const Bound = Type.Optional(Type.Number())
const STRICT = { additionalProperties: false }

/** The keywords of JSON Schema 2020-12 that a parameter may have. `read.ts` has the rules between them. */
const ParameterSchema = Type.Object(
  {
    type: Type.Optional(Type.Enum(['string', 'integer', 'number', 'boolean'])),
    title: Annotation,
    description: Annotation,
    default: Type.Optional(ParameterValue),
    examples: Type.Optional(Type.Array(ParameterValue, { maxItems: EXAMPLES_MAX })),
    enum: Type.Optional(Type.Array(ParameterValue, { minItems: 1, maxItems: CHOICES_MAX })),
    minLength: Length,
    maxLength: Length,
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PATTERN_MAX,
        description: 'In the syntax of RE2, found anywhere in the value',
      }),
    ),
    minimum: Bound,
    maximum: Bound,
    exclusiveMinimum: Bound,
    exclusiveMaximum: Bound,
    multipleOf: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  STRICT,
)
export type ParameterSchema = Static<typeof ParameterSchema>

export const PARAMETER_KEYWORDS = Object.keys(ParameterSchema.properties).join(', ')

/** `parameters` of a `template.yaml`. */
export const ParametersSchema = Type.Object(
  {
    $schema: Type.Optional(Type.Enum(['https://json-schema.org/draft/2020-12/schema'])),
    type: Type.Enum(['object']),
    title: Annotation,
    description: Annotation,
    properties: Type.Record(Type.String({ pattern: `^${PARAMETER_NAME}$` }), ParameterSchema, {
      ...STRICT,
      maxProperties: PROPERTIES_MAX,
    }),
    required: Type.Optional(Type.Array(Type.String(), { maxItems: PROPERTIES_MAX })),
    additionalProperties: Type.Optional(Type.Literal(false)),
  },
  STRICT,
)
export type ParametersSchema = Static<typeof ParametersSchema>
