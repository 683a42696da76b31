import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { limited, reads } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import { docAnswer } from '#src/lib/presenters/catalog/doc-answer.ts'
import { markdownTree, MarkdownTree } from '#src/lib/presenters/markdown-tree.ts'
import { decodePercent } from '#src/lib/text/percent.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import { EntityParameters } from '#src/lib/presenters/catalog/schemas.ts'

const Parameters = Type.Object({ ...EntityParameters.properties, '*': Type.String() })

const description = operation({
  id: 'getEntityDoc',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'Get a page of the documentation of an entity, or a picture in it',
  description:
    'Text as `text/markdown`; with `Accept: application/json` as a tree of nodes, in which HTML is text. Pictures of `docs` by the same path (png, jpeg, gif, webp, avif, and svg as a download). Up to 1 MiB.',
  tagged: true,
  responses: {
    200: {
      description: 'The file as it is in git',
      content: [
        { schema: MarkdownTree, example: markdownTree('# Ledger') },
        { contentType: '*/*', schema: Type.String() },
      ],
      headers: { 'X-Catalog-File-URL': 'The file at the git host, for browsers' },
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
          const [, path = ''] = /\/docs\/(.+)$/.exec(contextOf(request).path) ?? []
          const doc = await entityDocs.read(entity.value, decodePercent(path) ?? '')
          return doc.ok ? docAnswer(request, doc.value) : problem(request, doc.error)
        }),
      { params: pathParameters(Parameters), ...description },
    )
