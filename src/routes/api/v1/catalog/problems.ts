import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { relationsIn } from '#src/lib/domain/catalog/relations.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import { exampleLocatedProblem, LocatedProblem } from '#src/lib/presenters/catalog/schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pageHeaderDocs, pageHeaders, pageOf, pageParameters } from '#src/lib/http/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { session } from '#src/lib/http/session.ts'

const Query = Type.Object(pageParameters('problems'))

const description = operation({
  id: 'listCatalogProblems',
  scope: 'catalog:read',
  tag: 'Catalog',
  summary: 'List the mistakes in the gitops repository',
  description:
    'Sorted by path, then line; applications that cannot be read whole and mistakes in the templates repository come last. A broken file hides only its own entities. Of several entities with the same kind and name, the first by path is served.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the problems',
      content: { schema: Type.Array(LocatedProblem), example: [exampleLocatedProblem] },
      headers: {
        ...pageHeaderDocs('problems'),
        ...catalogHeaderDocs,
      },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

type Needed = Pick<
  Deps,
  'catalog' | 'clock' | 'overviews' | 'scaffold' | 'gitopsPages' | 'templatesPages'
>

export default ({ catalog, clock, overviews, scaffold, gitopsPages, templatesPages }: Needed) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    ({ request }) =>
      fromCatalog(request, catalog.read(), async (cached) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const [{ problems: ofFiles }, ofApplications, ofTemplates] = await Promise.all([
          relationsIn(cached.value),
          overviews.problems(),
          scaffold.problems(),
        ])
        const problems = ofFiles.concat(ofApplications, ofTemplates.problems)
        const page = pageOf(request, problems, query.value)
        const isOfTemplates = new Set(ofTemplates.problems)
        const body = page.items.map((each) => {
          const [pages, commit] = isOfTemplates.has(each)
            ? [templatesPages, ofTemplates.commit]
            : [gitopsPages, cached.value.commit]
          return { ...each, url: commit && pages.file(commit, each.path, each.line) }
        })
        const headers = catalogHeaders(cached, clock.now(), pageHeaders(page))
        return taggedJson(request, body, headers)
      }),
    description,
  )
}
