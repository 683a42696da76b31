import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { refOf } from '#src/lib/domain/catalog/entity.ts'
import { selectRows } from '#src/lib/domain/promotion/overview/rows.ts'
import { NAMESPACES_PER_PERSON_MAX } from '#src/lib/domain/clusters/workloads/watches.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { session } from '#src/lib/http/session.ts'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { EntityRef } from '#src/lib/names.ts'
import {
  ApplicationHealth,
  applicationHealthBody,
} from '#src/lib/presenters/clusters/application-health.ts'
import { reviewRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { teamFilterOf, teamParameters } from '#src/lib/presenters/promotion/team-filter.ts'
import { named } from '#src/lib/schema/named.ts'

const ENTITIES_MAX = 100

const Query = Type.Object({
  ...teamParameters,
  entity: Type.Array(named(EntityRef), {
    maxItems: ENTITIES_MAX,
    default: [],
    description:
      'Only these entities, as kind/name, case-insensitive; without a kind a component, such as `component/payments-api`',
  }),
})

const APPLICATIONS_MAX = 500

const description = operation({
  id: 'listHealth',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List the health of every application in every environment that it has reached',
  description: `Asked with your own token. A row is the worst verdict on what has the name of the application as its label \`app.kubernetes.io/name\`, in the namespace that the cluster registry names for its team. The namespaces are followed for your session while somebody reads, a few of a cluster at a time: the first answers wait for clusters up to two seconds, later ones come from memory. What cannot be asked is \`Unknown\`, with the code of the reason. At most the first ${APPLICATIONS_MAX} applications, by kind and name, in at most ${NAMESPACES_PER_PERSON_MAX} namespaces, counted over all clusters and all your sessions; beyond these the reason is \`too_many_streams\`, and \`team\` or \`entity\` chooses others.`,
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'Sorted by kind and name of the entity',
      content: { schema: Type.Array(ApplicationHealth) },
    },
  },
  problems: [422, 429, 502, 503, 504],
})

export default ({
  overviews,
  clusters,
  platformGroup,
}: Pick<Deps, 'overviews' | 'clusters' | 'platformGroup'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    async ({ request, session }) => {
      const parsed = parseQuery(request.url)
      if (!parsed.ok) return problem(request, parsed.error)
      const read = await overviews.read()
      if (!read.ok) return problem(request, read.error)
      const rows = selectRows(read.value.value.rows, {
        ...teamFilterOf(parsed.value, session.principal, platformGroup),
        system: [],
        entity: parsed.value.entity.map(refOf),
      })
      const places = rows
        .slice(0, APPLICATIONS_MAX)
        .flatMap(({ entity, team, app, environments }) =>
          environments()
            .filter(({ state }) => state === 'live' || state === 'ready_to_confirm')
            .map(({ name: environment }) => ({ entity, team, app, environment })),
        )
      const health = await clusters.applicationHealth(reviewRequestOf(request, session), places)
      return taggedJson(request, health.map(applicationHealthBody))
    },
    description,
  )
}
