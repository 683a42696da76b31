import { describe, expect, test } from 'bun:test'
import { newestLast, podEvent } from '#src/lib/domain/clusters/events.ts'
import type { KubernetesEvent } from '#src/lib/ports/kubernetes-objects.ts'
import { event } from './objects.ts'

const CREATED = '2026-01-01T00:00:00Z'
const T1 = '2026-01-01T00:00:01Z'
const T2 = '2026-01-01T00:00:02Z'
const MICRO = '2026-01-01T00:00:01.123456Z'
const LATER = '2026-01-01T00:00:01.500000Z'

const podEvents = (objects: readonly KubernetesEvent[]) =>
  newestLast(objects.map(podEvent), objects.length)

describe('when and how often', () => {
  const line = (object: KubernetesEvent): string => {
    const [only] = podEvents([object])
    return `${only?.count} ${only?.firstSeenAt} ${only?.lastSeenAt}`
  }
  // prettier-ignore
  test.each<[string, KubernetesEvent, string]>([
    ['once',                              event({ firstTimestamp: T1, lastTimestamp: T1, count: 1, eventTime: null }),                    `1 ${T1} ${T1}`],
    ['several times',                     event({ firstTimestamp: T1, lastTimestamp: T2, count: 5, eventTime: null }),                    `5 ${T1} ${T2}`],
    ['how often is left out',             event({ firstTimestamp: T1, lastTimestamp: T2 }),                                               `1 ${T1} ${T2}`],
    ['of a new recorder',                 event({ eventTime: MICRO, firstTimestamp: null, lastTimestamp: null }),                         `1 ${MICRO} ${MICRO}`],
    ['of a new recorder, a series',       event({ eventTime: MICRO, firstTimestamp: null, lastTimestamp: null, series: { count: 3, lastObservedTime: LATER } }), `3 ${MICRO} ${LATER}`],
    ['the series counts, if there is one', event({ eventTime: MICRO, firstTimestamp: T2, lastTimestamp: T1, count: 2, series: { count: 3, lastObservedTime: LATER } }), `3 ${MICRO} ${LATER}`],
    ['a series that says nothing',        event({ firstTimestamp: T1, lastTimestamp: T2, count: 2, series: { lastObservedTime: null } }), `2 ${T1} ${T2}`],
    ['nobody says when',                  event({ firstTimestamp: null, lastTimestamp: null, eventTime: null }),                          `1 ${CREATED} ${CREATED}`],
    ['nobody says anything',              { metadata: { name: 'e', uid: 'u' } },                                                          '1 null null'],
  ])('%s', (_, object, expected) => {
    expect(line(object)).toBe(expected)
  })
})

test('everything that is said of an event', () => {
  const object = event({
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container\n',
    count: 5,
    firstTimestamp: T1,
    lastTimestamp: T2,
    source: { component: 'kubelet' },
    reportingComponent: 'other',
    involvedObject: { uid: 'u-1', fieldPath: 'spec.initContainers{migrate}' },
  })
  expect(podEvents([object])).toStrictEqual([
    {
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container',
      count: 5,
      firstSeenAt: T1,
      lastSeenAt: T2,
      container: 'migrate',
      source: 'kubelet',
    },
  ])
})

test('nothing is said of an event', () => {
  expect(
    podEvents([event({ type: '', reason: '', message: ' ', source: {}, reportingComponent: '' })]),
  ).toStrictEqual([
    {
      type: null,
      reason: null,
      message: null,
      count: 1,
      firstSeenAt: CREATED,
      lastSeenAt: CREATED,
      container: null,
      source: null,
    },
  ])
})

test('a new recorder is the source', () => {
  const [only] = podEvents([event({ source: {}, reportingComponent: 'default-scheduler' })])
  expect(only?.source).toBe('default-scheduler')
})

test('newest last, by when they were seen last, and as they came if at once', () => {
  const objects = [
    event({ reason: 'c', firstTimestamp: CREATED, lastTimestamp: T2 }),
    event({ reason: 'b', eventTime: LATER }),
    event({ reason: 'b2', eventTime: LATER }),
    event({ reason: 'a', firstTimestamp: T1, lastTimestamp: T1 }),
    { metadata: { name: 'e', uid: 'u' }, reason: '?' },
  ]
  expect(podEvents(objects).map(({ reason }) => reason)).toStrictEqual(['?', 'a', 'b', 'b2', 'c'])
  expect(objects[0]?.reason).toBe('c')
})

// prettier-ignore
test.each([
  ['spec.containers{app}',              'app'],
  ['spec.ephemeralContainers{debug-1}', 'debug-1'],
  ['spec.containers[2]',                null],
  ['',                                  null],
])('the container of %s', (fieldPath, container) => {
  expect(podEvents([event({ involvedObject: { fieldPath } })])[0]?.container).toBe(container)
})
