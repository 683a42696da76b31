import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { OneLine } from '#src/lib/schema/one-line.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'

const Query = Type.Object({
  q: Type.Optional(
    OneLine({
      minLength: 1,
      maxLength: 200,
      description:
        'Only pages that have this text in a line, at most 20, with the first such line. Letters of ASCII match in any case.',
    }),
  ),
})

const description = operation({
  id: 'listEntityDocs',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List the documentation of an entity',
  description:
    '`README.md` first, then `docs/**/*.md` by path, of the default branch of its repository (annotation `portico/repository`, in the organisation of the gitops repository). At most 500 pages of up to 1 MiB. Follows a push within half a minute.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The pages',
      content: {
        schema: Type.Array(
          Type.Object(
            {
              path: Type.String(),
              title: Type.String({ description: 'The text of the first heading' }),
              sizeBytes: Type.Integer({ minimum: 0 }),
              line: Type.Optional(Type.Integer({ minimum: 1, description: 'With `q`' })),
              excerpt: Type.Optional(
                Type.String({
                  description: 'Up to 160 characters of the text of the line, with `q`',
                }),
              ),
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

export default ({ catalog, entityDocs, usage }: Pick<Deps, 'catalog' | 'entityDocs' | 'usage'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(session)
    .use(limited(usage, reads))
    .get(
      '',
      ({ request, params }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { q } = query.value
        return fromCatalog(request, catalog.read(), async ({ value }) => {
          const entity = findEntity(value, params)
          if (!entity.ok) return problem(request, entity.error)
          const docs =
            q === undefined
              ? await entityDocs.list(entity.value)
              : await entityDocs.search(entity.value, q)
          return docs.ok ? taggedJson(request, docs.value) : problem(request, docs.error)
        })
      },
      { params: pathParameters(EntityParameters), ...description },
    )
}
