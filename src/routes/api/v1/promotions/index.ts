import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { confirmersOf, selectMoves } from '#src/lib/domain/promotion/overview/waiting-move.ts'
import { operation } from '#src/lib/http/operation.ts'
import { pageHeaderDocs, pageHeaders, pageOf, pageParameters } from '#src/lib/http/page.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import {
  catalogHeaderDocs,
  catalogHeaders,
  fromCatalog,
} from '#src/lib/presenters/catalog/answer.ts'
import {
  PROMOTIONS_REVISION,
  promotionsHeaderDocs,
} from '#src/lib/presenters/promotion/revision.ts'
import { teamFilterOf, teamParameters } from '#src/lib/presenters/promotion/team-filter.ts'
import {
  exampleMoves,
  WaitingMove,
  waitingMoveBody,
  WaitsFor,
} from '#src/lib/presenters/promotion/waiting-move.ts'

const Query = Type.Object({
  ...teamParameters,
  waitsFor: Type.Optional(WaitsFor),
  ...pageParameters('moves'),
})

const description = operation({
  id: 'listPromotions',
  scope: 'catalog:read',
  tag: 'Promotion',
  summary: 'List the moves that wait for somebody',
  description:
    'A move is a new project, a promotion, a release, a deprecation or a change of a lifecycle. One with an open pull request waits for its review, and a merged promotion for its confirmation. Newest first, and as fresh as the catalog.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'A page of the moves',
      content: { schema: Type.Array(WaitingMove), example: exampleMoves },
      headers: {
        ...pageHeaderDocs('matching moves'),
        ...catalogHeaderDocs,
        ...promotionsHeaderDocs,
      },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

export default ({
  overviews,
  pullRequestFacts,
  clock,
  platformGroup,
}: Pick<Deps, 'overviews' | 'pullRequestFacts' | 'clock' | 'platformGroup'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    ({ request, session: { principal } }) =>
      fromCatalog(request, overviews.read(), async (cached) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { team, mine, waitsFor } = query.value
        const filter = { ...teamFilterOf(query.value, principal, platformGroup), waitsFor }
        const moves = selectMoves(cached.value.moves, filter)
        const given = { team, mine: mine || '', waitsFor: waitsFor ?? '' }
        const page = pageOf(request, moves, query.value, given)
        const headers = catalogHeaders(cached, clock.now(), {
          ...pageHeaders(page),
          [PROMOTIONS_REVISION]: cached.value.revision,
        })
        const open = page.items.flatMap(({ pull }) => (pull?.state === 'open' ? [pull] : []))
        const factsOf = await pullRequestFacts.of(open)
        const body = page.items.map((move) =>
          waitingMoveBody(move, confirmersOf(move, principal, platformGroup), factsOf),
        )
        return taggedJson(request, body, headers)
      }),
    description,
  )
}
