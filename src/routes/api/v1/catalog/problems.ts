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
import { session } from '#src/lib/http/session.ts'

const description = operation({
  id: 'listCatalogProblems',
  tag: 'Catalog',
  summary: 'What is wrong in the gitops repository',
  description:
    'By path, then line, and after them those of the templates repository. A broken file hides only itself; of duplicates the first by path is served.',
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
        return new Response(JSON.stringify(problems), {
          headers: catalogHeaders(cached, clock.now()),
        })
      }),
    description,
  )
