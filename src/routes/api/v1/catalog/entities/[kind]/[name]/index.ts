import { createLru } from '#src/lib/concurrency/lru.ts'
import { Elysia } from 'elysia'
import type { Deps } from '#src/deps.ts'
import { type CatalogEntity, type Snapshot, versionOf } from '#src/lib/domain/catalog/snapshot.ts'
import {
  catalogHeaderDocs,
  fromCatalog,
  keptCatalogHeaders,
} from '#src/lib/presenters/catalog/answer.ts'
import { findEntity } from '#src/lib/presenters/catalog/find-entity.ts'
import { Entity, EntityParameters, exampleEntity } from '#src/lib/presenters/catalog/schemas.ts'
import { isNotModified } from '#src/lib/http/negotiation.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'getEntity',
  scope: 'catalog:read',
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
        'X-Repository-URL':
          'Its repository at the git host, for browsers (annotation `portico/repository`)',
      },
    },
  },
  problems: [404, 422, 429, 502, 503, 504],
})

/** Entities that are read often: those of the pages that are open. */
const HEADS_MAX = 1_000

export default ({
  catalog,
  clock,
  entityDocs,
  gitopsPages,
}: Pick<Deps, 'catalog' | 'clock' | 'entityDocs' | 'gitopsPages'>) => {
  const heads = createLru<CatalogEntity, ReturnType<typeof createHead>>(HEADS_MAX)

  /** An entity is another object in a snapshot where its file is another. */
  function headOf(snapshot: Snapshot, entity: CatalogEntity) {
    const head = heads.get(entity) ?? createHead(snapshot, entity)
    heads.set(entity, head)
    return head
  }

  function createHead(snapshot: Snapshot, entity: CatalogEntity) {
    const { path, line } = entity
    const etag = `"${versionOf(snapshot, entity)}"`
    const repository = entityDocs.repositoryUrl(entity)
    const headers = keptCatalogHeaders((commit) => {
      const url = gitopsPages.file(commit, path, line)
      return {
        'cache-control': 'private, no-cache',
        etag,
        'x-catalog-file': `${path}:${line}`,
        ...(url !== null && { 'x-catalog-file-url': url }),
        ...(repository !== null && { 'x-repository-url': repository }),
      }
    })
    return { etag, headers }
  }

  return new Elysia().use(session).get(
    '',
    ({ request, params }) =>
      fromCatalog(request, catalog.read(), (cached) => {
        const found = findEntity(cached.value, params)
        if (!found.ok) return problem(request, found.error)
        const entity = found.value
        const { etag, headers } = headOf(cached.value, entity)
        const isKnown = isNotModified(request, etag)
        return new Response(isKnown ? null : entity.json, {
          status: isKnown ? 304 : 200,
          headers: headers(cached, clock.now()),
        })
      }),
    { params: pathParameters(EntityParameters), ...description },
  )
}
