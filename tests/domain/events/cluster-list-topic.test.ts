import { expect, test } from 'bun:test'
import type { Feed, FeedFailure } from '#src/lib/domain/clusters/feed.ts'
import { createPageEvents } from '#src/lib/domain/events/page-events.ts'
import { parseTopics } from '#src/lib/domain/events/parse-topics.ts'
import { clusterListTopic } from '#src/lib/domain/events/topics/cluster-list.ts'
import type { ClusterFailure } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { person, sessionOf } from '#tests/domain/clusters/cluster-request.ts'

type Answer = Result<Feed<never>, FeedFailure>

/** What a page is told of one list, when its tries get these answers; after the last one the reader leaves. */
async function story(...answers: readonly Answer[]) {
  const asked: string[] = []
  const leave = new AbortController()
  const pods = clusterListTopic({
    admit: async () => ok(undefined),
    async follow({ session }): Promise<Answer> {
      asked.push(session.principal.subject)
      const answer = answers[asked.length - 1]
      if (answer === undefined) leave.abort()
      return answer ?? err({ kind: 'cluster_timeout' })
    },
  })
  const topics = parseTopics({ pods }, ['pods:dev-east/payments-dev'])
  if (!topics.ok) throw new Error('no topics')
  const page = createPageEvents({
    sessions: {
      reread: async () => ({
        kind: 'active',
        session: sessionOf({ principal: person('renewed') }),
      }),
    },
    onBug: (bug) => {
      throw bug
    },
    retryFirstMs: 1,
  })
  const caller = { session: sessionOf(), requestId: 'r', address: null, trace: null }
  const told: string[] = []
  for await (const each of page.open(caller, topics.value, '', leave.signal)) {
    told.push(each.kind === 'event' ? each.event.type : `${each.kind} ${each.failure.kind}`)
  }
  return { told, asked }
}

const UNAUTHORIZED = { kind: 'cluster_unauthorized' } as const
const FORBIDDEN = { kind: 'cluster_forbidden', message: 'not yet' } as const

/** A list whose events end with a failure, or with `null` when the token or the right to it does. */
const list = (end: ClusterFailure | null, onEnd = () => {}): Answer =>
  ok(async function* () {
    try {
      yield { kind: 'snapshot', first: true, last: true, items: [] }
      return end
    } finally {
      onEnd()
    }
  })

test('a list whose right ends is asked for again with the claims of then, and refused', async () => {
  const ended: string[] = []
  const first = list(null, () => ended.push('feed'))
  expect(await story(first, err({ kind: 'cluster_not_found' }))).toStrictEqual({
    told: ['snapshot', 'refused cluster_not_found'],
    asked: ['s', 'renewed'],
  })
  expect(ended).toStrictEqual(['feed'])
})

test.each<[string, readonly Answer[], string[]]>([
  ['at first', [err(FORBIDDEN)], ['refused cluster_forbidden']],
  ['of the token, at first', [err(UNAUTHORIZED)], ['refused cluster_unauthorized']],
  [
    'while the API server starts again',
    [list(null), err(UNAUTHORIZED), err(FORBIDDEN), list(null)],
    ['snapshot', 'failed cluster_unauthorized', 'failed cluster_forbidden', 'snapshot'],
  ],
  [
    'within the list, after which the group is withdrawn',
    [list(FORBIDDEN), list(UNAUTHORIZED), err({ kind: 'cluster_not_found' })],
    [
      'snapshot',
      'failed cluster_forbidden',
      'snapshot',
      'failed cluster_unauthorized',
      'refused cluster_not_found',
    ],
  ],
])('a refusal of the cluster %s', async (_, answers, told) => {
  expect((await story(...answers)).told).toStrictEqual(told)
})
