import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/app.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { CatalogProblem, exampleProblem } from '#src/lib/presenters/catalog/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listCatalogProblems',
  tag: 'Catalog',
  summary: 'List the mistakes in the gitops repository',
  description:
    'Sorted by path, then line; mistakes in the templates repository come last. A broken file hides only its own entities. Of several entities with the same kind and name, the first by path is served.',
  tagged: true,
  responses: {
    200: {
      description: 'The problems',
      content: { schema: Type.Array(CatalogProblem), example: [exampleProblem] },
      headers: catalogHeaderDocs,
    },
  },
  problems: [429, 502, 503, 504],
})

export default ({ catalog, clock, scaffold }: Pick<Deps, 'catalog' | 'clock' | 'scaffold'>) =>
  new Elysia().use(session).get(
    '',
    ({ request }) =>
      fromCatalog(request, catalog.read(), async (cached) => {
        const problems = [...cached.value.problems, ...(await scaffold.problems())]
        return taggedJson(request, problems, catalogHeaders(cached, clock.now()))
      }),
    description,
  )
