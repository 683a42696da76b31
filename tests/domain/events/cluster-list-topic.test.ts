import { expect, test } from 'bun:test'
import type { Feed, FeedFailure } from '#src/lib/domain/clusters/feed.ts'
import { createPageEvents } from '#src/lib/domain/events/page-events.ts'
import { parseTopics } from '#src/lib/domain/events/parse-topics.ts'
import { clusterListTopic } from '#src/lib/domain/events/topics/cluster-list.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { person, sessionOf } from '#tests/domain/clusters/cluster-request.ts'

const SNAPSHOT = { kind: 'snapshot', first: true, last: true, items: [] } as const

test('a list whose right ends is asked for again with the claims of then, and refused', async () => {
  const renewed = sessionOf({ principal: person('renewed') })
  const ended: string[] = []
  const feed: Feed<never> = async function* () {
    try {
      yield SNAPSHOT
      // The token ends, or the groups do not see the cluster any more.
      return null
    } finally {
      ended.push('feed')
    }
  }
  const asked: string[] = []
  const pods = clusterListTopic({
    admit: async () => ok(undefined),
    follow: async ({ session }): Promise<Result<Feed<never>, FeedFailure>> => {
      asked.push(session.principal.subject)
      return asked.length === 1 ? ok(feed) : err({ kind: 'cluster_not_found' })
    },
  })
  const topics = parseTopics({ pods }, ['pods:dev-east/payments-dev'])
  if (!topics.ok) throw new Error('no topics')
  const page = createPageEvents({
    sessions: { reread: async () => ({ kind: 'active', session: renewed }) },
    onBug: (bug) => {
      throw bug
    },
    retryFirstMs: 1,
  })
  const caller = { session: sessionOf(), requestId: 'r', address: null, trace: null }
  const told = await Array.fromAsync(
    page.open(caller, topics.value, '', new AbortController().signal),
  )
  expect(
    told.map((each) => (each.kind === 'event' ? each.event.type : [each.kind, each.failure.kind])),
  ).toStrictEqual(['snapshot', ['refused', 'cluster_not_found']])
  expect([asked, ended]).toStrictEqual([['s', 'renewed'], ['feed']])
})
