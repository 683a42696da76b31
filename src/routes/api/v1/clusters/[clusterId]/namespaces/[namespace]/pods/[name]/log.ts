import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { answerLog, logAnswers } from '#src/lib/presenters/clusters/log.ts'
import { ObjectParameters } from '#src/lib/presenters/clusters/schemas.ts'
import { limited, streams } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { pathParameters } from '#src/lib/http/schema.ts'
import { session } from '#src/lib/http/session.ts'
import { named } from '#src/lib/schema/named.ts'
import { Label } from '#src/lib/names.ts'

const TAIL_LINES_MAX = 100_000

const Query = Type.Object({
  container: Type.Optional(
    named(Label, { description: 'Name of the container; required if the pod has several' }),
  ),
  follow: Type.Optional(Type.Boolean({ description: 'Keeps the stream open and sends new lines' })),
  previous: Type.Optional(
    Type.Boolean({ description: 'The log of the container before its last restart' }),
  ),
  tailLines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: TAIL_LINES_MAX,
      description: 'Only this many of the last lines',
    }),
  ),
})

const description = operation({
  id: 'readPodLog',
  scope: 'clusters:read',
  tag: 'Clusters',
  summary: 'Get the log of a container',
  description:
    'A stream of the unchanged log. With `follow` it ends when the container ends, your token expires or you lose access; the headers are sent with the first line of the log.',
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
        const { container = null, follow, previous, tailLines = null } = query.value
        return answerLog({ request, params, session }, stopping, (asked, isStreamed) =>
          clusters.log(asked, params.name, {
            container,
            follow: follow === true && isStreamed,
            previous: previous === true,
            tailLines,
          }),
        )
      },
      { params: pathParameters(ObjectParameters), ...description },
    )
}
