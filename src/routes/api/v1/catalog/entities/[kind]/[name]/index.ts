import { Elysia } from 'elysia'
import type { Deps } from '#src/app.ts'
import { entityRef } from '#src/lib/domain/catalog/entity.ts'
import { versionOf } from '#src/lib/domain/catalog/snapshot.ts'
import { suggest } from '#src/lib/domain/catalog/suggest.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { Entity, EntityParameters, exampleEntity } from '#src/lib/presenters/catalog/schemas.ts'
import { isNotModified } from '#src/lib/http/negotiation.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'getEntity',
  tag: 'Catalog',
  summary: 'Get an entity',
  description:
    'Kind and name ignore case. Fields that the catalog does not know are answered as they are.',
  tagged: true,
  responses: {
    200: {
      description: 'The entity, as in its file',
      content: { schema: Entity, example: exampleEntity },
      headers: {
        ...catalogHeaderDocs,
        'X-Catalog-File': 'File and line of the entity, such as `catalog/payments/team.yaml:1`',
        'X-Catalog-File-URL': 'The line at the git host, for browsers',
      },
    },
  },
  problems: [404, 422, 429, 502, 503, 504],
})

export default ({ catalog, clock, gitopsPages }: Pick<Deps, 'catalog' | 'clock' | 'gitopsPages'>) =>
  new Elysia().use(session).get(
    '',
    ({ request, params: { kind, name } }) =>
      fromCatalog(request, catalog.read(), (cached) => {
        const entity = cached.value.byRef.get(entityRef(kind, name))
        if (entity === undefined) {
          const suggestions = suggest(cached.value.entities, kind, name)
          return problem(request, { kind: 'entity_not_found', suggestions })
        }
        const etag = `"${versionOf(cached.value, entity)}"`
        const isKnown = isNotModified(request, etag)
        const { path, line } = entity
        const url = gitopsPages.file(cached.value.commit, path, line)
        return new Response(isKnown ? null : entity.json, {
          status: isKnown ? 304 : 200,
          headers: catalogHeaders(cached, clock.now(), {
            'cache-control': 'private, no-cache',
            etag,
            'x-catalog-file': `${path}:${line}`,
            ...(url !== null && { 'x-catalog-file-url': url }),
          }),
        })
      }),
    { params: pathParameters(EntityParameters), ...description },
  )
