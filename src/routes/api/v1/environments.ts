import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refOf } from '#src/lib/domain/catalog/entity.ts'
import type { Overview } from '#src/lib/domain/promotion/overview/overview.ts'
import { selectRows } from '#src/lib/domain/promotion/overview/rows.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pageHeaderDocs, pageOf, pageParameters } from '#src/lib/http/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { EntityRef } from '#src/lib/names.ts'
import { catalogHeaderDocs, fromCatalog } from '#src/lib/presenters/catalog/answer.ts'
import {
  PROMOTIONS_REVISION,
  promotionsHeaderDocs,
} from '#src/lib/presenters/promotion/revision.ts'
import { answerList, createJsonLists } from '#src/lib/presenters/json-lists.ts'
import { AppRow, appRowJson, exampleAppRow } from '#src/lib/presenters/promotion/app-row.ts'
import { FilterValues } from '#src/lib/presenters/filter-values.ts'
import { teamFilterOf, teamParameters } from '#src/lib/presenters/promotion/team-filter.ts'
import { named } from '#src/lib/schema/named.ts'

/** As many as a page of a table has. */
const ENTITIES_MAX = 100

const Query = Type.Object({
  ...teamParameters,
  system: FilterValues('Only entities of these systems, case-insensitive'),
  entity: Type.Array(named(EntityRef), {
    maxItems: ENTITIES_MAX,
    default: [],
    description:
      'Only these entities, as kind/name, case-insensitive; without a kind a component, such as `component/payments-api`',
  }),
  ...pageParameters('applications'),
})

const description = operation({
  id: 'listEnvironments',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'List every application in every environment',
  description:
    'All entities that have an application, sorted by kind, then name, at one commit of the gitops repository. As fresh as the catalog; the promotion state of an entity is read at the current head. Applications whose folders cannot be read whole are left out, and listed with the problems of the catalog.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the applications',
      content: { schema: Type.Array(AppRow), example: [exampleAppRow] },
      headers: {
        ...pageHeaderDocs('matching applications'),
        ...catalogHeaderDocs,
        ...promotionsHeaderDocs,
      },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

/** Pages are cached by query, and the teams of `mine` are part of it: people with other teams have other pages and tags. */
export default ({
  overviews,
  clock,
  platformGroup,
}: Pick<Deps, 'overviews' | 'clock' | 'platformGroup'>) => {
  const parseQuery = createQueryParser(Query)
  const lists = createJsonLists<Overview>({
    contentOf: ({ revision }) => revision,
    tagOf: ({ revision }) => revision,
  })
  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, overviews.read(), async (cached) => {
        const parsed = parseQuery(request.url)
        if (!parsed.ok) return problem(request, parsed.error)
        const { mine, limit, offset } = parsed.value
        const { team, ownedBy } = teamFilterOf(parsed.value, principal, platformGroup)
        const named = parsed.value.system.map((name) => name.toLowerCase())
        const system = [...new Set(named)].toSorted()
        const entity = [...new Set(parsed.value.entity.map(refOf))].toSorted()
        const query = JSON.stringify({ team, system, entity, ownedBy, limit, offset })
        let list = lists.find(cached.value, query)
        if (list === undefined) {
          const rows = selectRows(cached.value.rows, { team, system, entity, ownedBy })
          const given = { team, system, entity, mine: mine || '' }
          const page = pageOf(request, rows, { limit, offset }, given)
          const items = page.items.map(appRowJson)
          list = lists.add(cached.value, { ...page, query, items, isPart: false })
        }
        const response = await answerList(request, list, cached, clock.now())
        response.headers.set(PROMOTIONS_REVISION, cached.value.revision)
        return response
      }),
    description,
  )
}
