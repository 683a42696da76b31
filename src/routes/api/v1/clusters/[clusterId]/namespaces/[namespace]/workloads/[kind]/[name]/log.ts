import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { limited, streams } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { Label } from '#src/lib/names.ts'
import { answerLog, logAnswers } from '#src/lib/presenters/clusters/log.ts'
import { WorkloadParameters } from '#src/lib/presenters/clusters/workload-detail.ts'
import { named } from '#src/lib/schema/named.ts'

const TAIL_LINES = 1_000
const TAIL_LINES_MAX = 10_000

const Query = Type.Object({
  container: Type.Optional(
    named(Label, { description: 'Only the containers of this name, in all pods' }),
  ),
  follow: Type.Optional(Type.Boolean({ description: 'Keeps the stream open and sends new lines' })),
  tailLines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TAIL_LINES_MAX,
      description: `This many of the last lines of all containers together; ${TAIL_LINES} by default`,
    }),
  ),
})

const description = operation({
  id: 'readWorkloadLog',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'Get the log of all pods and containers of a workload',
  description:
    'Lines by time, each `<time> <pod>/<container> <text>`: the time is UTC with nanoseconds, and the three together are the address of the line. Where the run before ended within ten minutes its log comes first. With `follow` pods and runs that come later are read too; it ends when your token expires or you lose access. Lines about the log itself have `-` in place of the pod, such as how many lines were dropped because you read too slowly.',
  query: Query,
  ...logAnswers,
})

export default ({ clusters, stopping, usage }: Pick<Deps, 'clusters' | 'stopping' | 'usage'>) => {
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(session)
    .use(limited(usage, streams))
    .get(
      '',
      async ({ request, params, session }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const { container = null, follow, tailLines = TAIL_LINES } = query.value
        return answerLog({ request, params, session }, stopping, (asked, isStreamed) =>
          clusters.workloadLog(
            asked,
            { type: params.kind, name: params.name },
            { container, follow: follow === true && isStreamed, tailLines },
          ),
        )
      },
      { params: pathParameters(WorkloadParameters), ...description },
    )
}
