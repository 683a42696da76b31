import { Elysia } from 'elysia'
import { Type } from 'typebox'
import type { Deps } from '#src/deps.ts'
import { parseTopics } from '#src/lib/domain/events/parse-topics.ts'
import { keyOf } from '#src/lib/domain/limits/person-key.ts'
import { limited, streams } from '#src/lib/http/limited.ts'
import { operation } from '#src/lib/http/operation.ts'
import { problem } from '#src/lib/http/problem.ts'
import { createQueryParser } from '#src/lib/http/query.ts'
import { contextOf } from '#src/lib/http/request-context.ts'
import { session } from '#src/lib/http/session.ts'
import { eventStream, eventStreamHeaders } from '#src/lib/http/sse.ts'
import { traceOf } from '#src/lib/http/trace-context.ts'
import { pageStream, renderPage } from '#src/lib/presenters/events/page-stream.ts'

const TOPICS_MAX = 20
/** The longest names, of a cluster's id and a namespace, have 63 characters each; a label up to 380. */
const TOPIC_MAX_CHARACTERS = 600
const EVENT_ID_MAX_CHARACTERS = 1_000

const Query = Type.Object({
  topics: Type.Array(Type.String({ minLength: 1, maxLength: TOPIC_MAX_CHARACTERS }), {
    maxItems: TOPICS_MAX,
    examples: [['catalog', 'promotion:component/payments-api', 'pods:dev-east/payments-dev']],
    description: `At most ${TOPICS_MAX}, each once: \`catalog\`, \`promotion:{kind}/{name}\`, \`promotions\`, \`run:{id}\`, \`pods:{cluster}/{namespace}\`, \`deployments:{cluster}/{namespace}\`, \`workloads:{cluster}/{namespace}\`. The last three take labels, \`pods:dev-east/payments-dev?app.kubernetes.io/name=shop&tier=web\`, with \`&\` between terms, since commas separate topics. \`pods\` and \`deployments\` take a name, \`pods:dev-east/payments-dev/payments-api-7d9f\`, for the one object`,
  }),
  after: Type.Optional(
    Type.String({
      maxLength: EVENT_ID_MAX_CHARACTERS,
      description: 'Id of the last event received; the header `Last-Event-ID` takes precedence',
    }),
  ),
})

const description = operation({
  id: 'followTopics',
  tag: 'Events',
  summary: 'Stream everything that a page watches',
  description:
    'One connection for many topics, since browsers open six per host. Rights are those of the single requests: they are checked when the stream begins, and again when your groups change. The stream ends with your session. A client that comes again with the id of its last event gets what it missed; that of a stream with other topics counts for those that both have. A client that reads slowly gets the last state of each object, not every one.',
  query: Query,
  headers: { 'Last-Event-ID': Type.String({ description: 'Id of the last event received' }) },
  responses: { 200: { description: 'The stream', content: pageStream } },
  problems: [422, 429],
})

type Needed = Pick<
  Deps,
  'topics' | 'pageEvents' | 'pageStreams' | 'sessions' | 'stopping' | 'usage'
>

export default (deps: Needed) => {
  const { topics, pageEvents, pageStreams, sessions, stopping, usage } = deps
  const parseQuery = createQueryParser(Query)
  return new Elysia()
    .use(session)
    .use(limited(usage, streams))
    .get(
      '',
      ({ request, session }) => {
        const query = parseQuery(request.url)
        if (!query.ok) return problem(request, query.error)
        const named = parseTopics(topics, query.value.topics)
        if (!named.ok) return problem(request, { kind: 'validation_failed', errors: named.error })
        if (request.method === 'HEAD') return new Response(null, { headers: eventStreamHeaders })
        const release = pageStreams.take(keyOf(session.principal))
        if (release === undefined) return problem(request, { kind: 'too_many_streams' })
        const { requestId, address } = contextOf(request)
        const caller = { session, requestId, address, trace: traceOf(request) }
        const lastEventId = request.headers.get('last-event-id') ?? query.value.after ?? ''
        return eventStream(
          (signal) => renderPage(pageEvents.open(caller, named.value, lastEventId, signal)),
          {
            stopping,
            endWith(end) {
              const unwatch = sessions.watch(session, end)
              return () => {
                unwatch()
                release()
              }
            },
          },
        )
      },
      description,
    )
}
