import { type TSchema, Type } from 'typebox'
import { problemCodes } from '../../domain/catalog/problem.ts'
import { AnyCaseLabel, EntityKind } from '../../names.ts'
import { named } from '../../schema/named.ts'
import { Nullable } from '../../schema/nullable.ts'

/** Path parameters that name an entity. */
export const EntityParameters = Type.Object({
  kind: named(EntityKind, { description: 'Kind, case-insensitive', examples: ['Component'] }),
  name: named(AnyCaseLabel, { description: 'Name, case-insensitive', examples: ['payments-api'] }),
})

/** A field of a file, where it may be left out or empty. */
const Field = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))
const References = Field(
  Type.Array(Type.String(), { description: 'Other entities, such as `resource:payments-db`' }),
)

/** Stated, because some generators of clients refuse further fields otherwise. */
const FURTHER_FIELDS = { additionalProperties: true }

export const Entity = Type.Object(
  {
    apiVersion: Type.String(),
    kind: Type.String(),
    metadata: Type.Object(
      {
        name: Type.String(),
        title: Field(Type.String()),
        description: Field(Type.String()),
        annotations: Field(Type.Record(Type.String(), Type.Unknown())),
        tags: Field(Type.Array(Type.String())),
        links: Field(
          Type.Array(
            Type.Object({ url: Type.String(), title: Field(Type.String()) }, FURTHER_FIELDS),
            {
              description: 'Where to read more',
            },
          ),
        ),
      },
      FURTHER_FIELDS,
    ),
    spec: Field(
      Type.Object(
        {
          type: Field(Type.String()),
          lifecycle: Field(Type.String()),
          owner: Field(Type.String()),
          system: Field(Type.String()),
          domain: Type.Optional(Type.Unknown({ description: 'Of a system: its domain' })),
          definition: Type.Optional(Type.Unknown({ description: 'Of an API: its definition' })),
          dependsOn: References,
          providesApis: References,
          consumesApis: References,
        },
        FURTHER_FIELDS,
      ),
    ),
  },
  {
    ...FURTHER_FIELDS,
    $id: 'Entity',
    description: 'A catalog entity, as in its file. It may have further fields',
  },
)

/** Fields that every entity has. */
export const requiredFields = ['apiVersion', 'kind', 'metadata.name']

/** Whether the schema has a field, such as `spec.owner`. Annotations may have any name. */
export function isEntityField(name: string, schema: TSchema = Entity): boolean {
  if (Type.IsUnion(schema)) return schema.anyOf.some((each) => isEntityField(name, each))
  if (Type.IsRecord(schema)) return true
  return (
    Type.IsObject(schema) &&
    Object.entries(schema.properties).some(
      ([key, member]) =>
        name === key ||
        (name.startsWith(`${key}.`) && isEntityField(name.slice(key.length + 1), member)),
    )
  )
}

export const exampleEntity = {
  apiVersion: 'portico/v1',
  kind: 'Component',
  metadata: {
    name: 'payments-api',
    description: 'Takes payments by card and bank transfer',
    annotations: { 'portico/app-path': 'apps/payments/payments-api' },
  },
  spec: {
    type: 'service',
    lifecycle: 'development',
    owner: 'group:acme/payments',
    system: 'checkout',
  },
}

const problemMembers = {
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
  code: Type.Union(problemCodes.map((code) => Type.Literal(code))),
  path: Type.String(),
  line: Nullable(Type.Integer()),
  column: Nullable(Type.Integer()),
  ref: Nullable(Type.String()),
  message: Type.String(),
}

export const CatalogProblem = Type.Object(problemMembers, { $id: 'CatalogProblem' })

export const LocatedProblem = Type.Object(
  {
    ...problemMembers,
    url: Nullable(
      Type.String({
        description: 'The line at the git host, for browsers; `null` when no page has such a path',
      }),
    ),
  },
  { $id: 'LocatedProblem' },
)

export const exampleProblem = {
  severity: 'error',
  code: 'field_missing',
  path: 'catalog/payments/components/refunds.yaml',
  line: 4,
  column: 3,
  ref: null,
  message: 'metadata.name is missing',
}

export const exampleLocatedProblem = {
  ...exampleProblem,
  url: 'https://git.example.org/acme/gitops/blob/9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7/catalog/payments/components/refunds.yaml#L4',
}
