import { describe, expect, test } from 'bun:test'
import {
  createHub,
  type HubMessage,
  TOPICS_MAX,
  WISH_EXPIRES_MS,
} from '#src/console/api/live/hub.ts'

function openHub() {
  const opened: (readonly string[])[] = []
  const messages: HubMessage[] = []
  let now = 0
  const hub = createHub({
    open: (topics) => opened.push(topics),
    publish: (message) => messages.push(message),
    now: () => now,
  })
  return {
    ...hub,
    opened,
    messages,
    wait: (ms: number) => {
      now += ms
    },
    events: () => messages.filter(({ kind }) => kind === 'event'),
  }
}

const PODS = 'pods:dev-east/payments-dev'
const pod = { uid: 'u1', name: 'api-1' }
const snapshot = { topic: PODS, type: 'snapshot', value: { first: true, last: true, items: [pod] } }

describe('the hub of the tabs', () => {
  test('opens one stream with the topics of all tabs, each once', () => {
    const hub = openHub()
    hub.wish('a', ['catalog', PODS], [])
    hub.wish('b', ['catalog', 'promotions'], [])
    expect(hub.opened).toStrictEqual([
      ['catalog', PODS],
      ['catalog', PODS, 'promotions'],
    ])
    expect(['a', 'c'].map(hub.isShared)).toStrictEqual([true, true])
    hub.wish('a', [], [])
    expect(['a', 'b'].map(hub.isShared)).toStrictEqual([true, false])
  })

  test('leaves the stream alone when a tab repeats its wish', () => {
    const hub = openHub()
    hub.wish('a', ['catalog'], [])
    hub.wish('a', ['catalog'], [])
    expect(hub.opened).toHaveLength(1)
  })

  test('carries at most as many topics as the API takes, those of the newest wish first', () => {
    const hub = openHub()
    const many = Array.from({ length: TOPICS_MAX }, (_, at) => `run:${at}`)
    hub.wish('old', many, [])
    hub.wait(1)
    hub.wish('new', ['catalog'], [])
    const [, topics = []] = hub.opened
    expect(topics).toHaveLength(TOPICS_MAX)
    expect(topics).toContain('catalog')
  })

  test('opens no other stream when tabs repeat what is too much for one', () => {
    const hub = openHub()
    const many = (tab: string) => Array.from({ length: TOPICS_MAX }, (_, at) => `run:${tab}${at}`)
    hub.wish('a', many('a'), [])
    hub.wait(1)
    hub.wish('b', many('b'), [])
    const { length } = hub.opened
    for (const tab of ['a', 'b', 'a']) {
      hub.wait(1)
      hub.wish(tab, many(tab), [])
    }
    expect(hub.opened).toHaveLength(length)
  })

  test('tells which topics are carried, so that the others are polled', () => {
    const hub = openHub()
    hub.wish('a', ['catalog'], [])
    hub.changed('live')
    expect(hub.messages.at(-1)).toStrictEqual({ kind: 'state', state: 'live', topics: ['catalog'] })
  })

  test('gives a tab that comes later the items of a list, and nobody else', () => {
    const hub = openHub()
    hub.wish('a', [PODS], [PODS])
    hub.received(snapshot)
    const before = hub.events().length
    hub.wish('b', [PODS], [PODS])
    expect(hub.events().slice(before)).toStrictEqual([{ kind: 'event', event: snapshot, to: 'b' }])
    expect(hub.opened).toHaveLength(1)
  })

  test('gives the present items, not those of the first snapshot', () => {
    const hub = openHub()
    hub.wish('a', [PODS], [PODS])
    hub.received(snapshot)
    hub.received({ topic: PODS, type: 'set', value: { uid: 'u2', name: 'api-2' } })
    hub.received({ topic: PODS, type: 'removed', value: pod })
    hub.wish('b', [PODS], [PODS])
    expect(hub.events().at(-1)).toStrictEqual({
      kind: 'event',
      to: 'b',
      event: {
        ...snapshot,
        value: { first: true, last: true, items: [{ uid: 'u2', name: 'api-2' }] },
      },
    })
  })

  test.each([
    ['before the first items', []],
    ['after some items', [snapshot]],
  ])('tells a tab that comes later that the cluster is dark, %s', (_, earlier) => {
    const hub = openHub()
    const failed = {
      topic: PODS,
      type: 'failed',
      value: { code: 'cluster_unavailable', title: 'Dark' },
    }
    hub.wish('a', [PODS], [PODS])
    for (const event of [...earlier, failed]) hub.received(event)
    const before = hub.events().length
    hub.wish('b', [PODS], [PODS])
    expect(hub.events().slice(before)).toStrictEqual(
      [...earlier, failed].map((event) => ({ kind: 'event', event, to: 'b' })),
    )
  })

  test('closes the stream when the last tab is gone', () => {
    const hub = openHub()
    hub.wish('a', ['catalog'], [])
    hub.wish('a', [], [])
    expect(hub.opened.at(-1)).toStrictEqual([])
  })

  test('forgets a tab that was killed without a word', () => {
    const hub = openHub()
    hub.wish('a', ['catalog'], [])
    hub.wait(WISH_EXPIRES_MS)
    hub.expire()
    expect(hub.opened).toHaveLength(1)
    hub.wait(1)
    hub.expire()
    expect(hub.opened.at(-1)).toStrictEqual([])
  })

  test('does not open a stream again and again that has only refused topics', () => {
    const hub = openHub()
    const refused = {
      topic: PODS,
      type: 'refused',
      value: { code: 'cluster_forbidden', title: 'No' },
    }
    hub.wish('a', [PODS, 'promotions'], [])
    hub.received(refused)
    expect(hub.opened).toHaveLength(1)
    hub.wish('a', [PODS], [])
    hub.received(refused)
    expect(hub.opened.slice(1)).toStrictEqual([[PODS], []])
    // A right may have been given meanwhile.
    hub.expire()
    expect(hub.opened.at(-1)).toStrictEqual([PODS])
    hub.received(snapshot)
    hub.expire()
    expect(hub.opened).toHaveLength(4)
  })
})
