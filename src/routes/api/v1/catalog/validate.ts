import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { FILE_BYTES_MAX } from '#src/lib/domain/catalog/problem.ts'
import { readTypedBody } from '#src/lib/http/body.ts'
import {
  CatalogProblem,
  Entity,
  exampleEntity,
  exampleProblem,
} from '#src/lib/presenters/catalog/schemas.ts'
import { limited, validates } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { json } from '#src/lib/http/respond.ts'
import { session } from '#src/lib/http/session.ts'

/** JSON is YAML 1.2: one reader for both. RFC 9512 registers `application/yaml`; the other YAML types are in common use. */
const ACCEPTED = ['application/yaml', 'application/x-yaml', 'text/yaml', 'application/json']

const description = operation({
  id: 'validateEntities',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'Check catalog files before they are merged',
  description:
    'Reads the body as a catalog file and lists its problems, with an empty `path`. JSON is read as YAML, so that its problems have a line and column too. A person can have two files checked at a time.',
  body: [
    { schema: Entity, example: exampleEntity },
    {
      contentType: 'application/yaml',
      schema: Type.String(),
      example: 'apiVersion: portico/v1\nkind: Component\nmetadata:\n  name: payments-api\n',
    },
  ],
  responses: {
    200: {
      description: 'The entities and problems of the file',
      content: {
        schema: Type.Object(
          {
            entities: Type.Array(Type.String(), {
              description: 'References of the entities found',
            }),
            problems: Type.Array(CatalogProblem),
          },
          { $id: 'CatalogValidation' },
        ),
        example: {
          entities: ['component/payments-api'],
          problems: [{ ...exampleProblem, path: '' }],
        },
      },
    },
  },
  problems: [400, 403, 413, 415, 429, 503],
})

export default ({ validations, usage }: Pick<Deps, 'validations' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, validates))
    .post(
      '',
      async ({ request, session: { principal } }) => {
        const entered = validations.enter(principal)
        if (!entered.ok) return problem(request, entered.error)
        using place = entered.value
        const body = await readTypedBody(request, {
          limitBytes: FILE_BYTES_MAX,
          accepted: ACCEPTED,
        })
        if (!body.ok) return problem(request, body.error)
        const validated = await place.validate(body.value, request.signal)
        if (!validated.ok) {
          const { kind } = validated.error
          return problem(
            request,
            kind === 'client_left' ? { kind: 'body_incomplete' } : validated.error,
          )
        }
        const { entities, findings } = validated.value
        return json({ entities, problems: findings.map((finding) => ({ ...finding, path: '' })) })
      },
      { parse: 'none', ...description },
    )
