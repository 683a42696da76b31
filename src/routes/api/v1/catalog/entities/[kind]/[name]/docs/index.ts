import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'

const description = operation({
  id: 'listEntityDocs',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List the documentation of an entity',
  description:
    '`README.md` first, then `docs/**/*.md` by path, of the default branch of its repository (annotation `portico/repository`, in the organisation of the gitops repository). At most 500 pages of up to 1 MiB. Follows a push within half a minute.',
  tagged: true,
  responses: {
    200: {
      description: 'The pages',
      content: {
        schema: Type.Array(
          Type.Object(
            {
              path: Type.String(),
              title: Type.String({ description: 'The first heading' }),
              sizeBytes: Type.Integer({ minimum: 0 }),
            },
            { $id: 'DocPage' },
          ),
        ),
        example: [{ path: 'README.md', title: 'Payments API', sizeBytes: 2_048 }],
      },
    },
  },
  problems: [404, 422, 429, 502, 503, 504],
})

export default ({ catalog, entityDocs, usage }: Pick<Deps, 'catalog' | 'entityDocs' | 'usage'>) =>
  new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      ({ request, params }) =>
        fromCatalog(request, catalog.read(), async ({ value }) => {
          const entity = findEntity(value, params)
          if (!entity.ok) return problem(request, entity.error)
          const docs = await entityDocs.list(entity.value)
          return docs.ok ? taggedJson(request, docs.value.pages) : problem(request, docs.error)
        }),
      { params: pathParameters(EntityParameters), ...description },
    )
