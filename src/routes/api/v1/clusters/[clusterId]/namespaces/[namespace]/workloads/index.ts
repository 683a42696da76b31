import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { listingAnswer } from '#src/lib/presenters/clusters/listing-answer.ts'
import { clusterProblem, clusterRequestOf } from '#src/lib/presenters/clusters/request.ts'
import { LabelSelector, NamespaceParameters } from '#src/lib/presenters/clusters/schemas.ts'
import {
  exampleWorkload,
  KINDS,
  Workload,
  WorkloadKind,
} from '#src/lib/presenters/clusters/workload-schemas.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'

const Query = Type.Object({
  kind: Type.Optional(
    Type.Array(WorkloadKind, {
      maxItems: KINDS.length,
      description: 'Kinds in lower case; all by default',
    }),
  ),
  labelSelector: LabelSelector,
})

const description = operation({
  id: 'listWorkloads',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'List everything that runs in a namespace, with its health',
  description:
    'Deployments, stateful sets, daemon sets, jobs, cron jobs, and replica sets and pods that none of them controls, each with one verdict: what it says of itself, and why, as its pods know. Read with your own token, by name, without pages. Kinds that the cluster does not have, or does not let you list, are left out; if that is true of all, the answer is the refusal. The list of a namespace that does not exist is empty.',
  query: Query,
  tagged: true,
  responses: {
    200: {
      description: 'The workloads',
      content: { schema: Type.Array(Workload), example: [exampleWorkload] },
    },
  },
  problems: [403, 404, 409, 410, 422, 429, 502, 503, 504],
})

export default ({ clusters }: Pick<Deps, 'clusters'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia().use(session).get(
    '',
    async ({ request, params, session }) => {
      const query = parseQuery(request.url)
      if (!query.ok) return problem(request, query.error)
      const { labelSelector = null } = query.value
      const kinds: ReadonlySet<string> = new Set(query.value.kind ?? KINDS)
      const listed = await clusters.workloads.list(
        clusterRequestOf(request, session, params),
        labelSelector,
      )
      if (!listed.ok) return clusterProblem(request, listed.error)
      const items = listed.value.filter(({ kind }) => kinds.has(kind.toLowerCase()))
      return listingAnswer(request, { items, cursor: null })
    },
    { params: pathParameters(NamespaceParameters), ...description },
  )
}
