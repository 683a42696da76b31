import { describe, expect, test } from 'bun:test'
import type { Pod } from '#src/console/api/live/events.ts'
import { downloadUrl, logChoice, logUrl } from '#src/console/pages/clusters/log-address.ts'

const container = (
  name: string,
  kind: 'init' | 'sidecar' | 'main' = 'main',
): Pod['containers'][number] => ({
  name,
  image: null,
  digest: null,
  init: kind !== 'main',
  sidecar: kind === 'sidecar',
  ephemeral: false,
  ready: true,
  started: true,
  restarts: 0,
  state: 'running',
  reason: null,
  message: null,
  lastTermination: null,
})
const containers = [
  container('migrate', 'init'),
  container('proxy', 'sidecar'),
  container('app'),
  container('worker'),
]
const OPENED = Date.parse('2026-11-28T09:30:00Z')
const choice = (query: string, all = containers, lastTermination: Pod['lastTermination'] = null) =>
  logChoice(new URLSearchParams(query), { containers: all, lastTermination }, OPENED)

describe('the container', () => {
  test.each([
    ['', 'app'],
    ['container=proxy', 'proxy'],
    ['container=gone', 'app'],
  ])('of %j is %s', (query, name) => {
    expect(choice(query).container).toBe(name)
  })

  test('that fails again and again comes first', () => {
    const failing = {
      ...container('worker'),
      state: 'waiting' as const,
      reason: 'CrashLoopBackOff',
    }
    expect(choice('', [container('app'), failing]).container).toBe('worker')
  })

  test('that crashed is read from the run that did, unless the address says otherwise', () => {
    const crashed = {
      ...container('app'),
      state: 'waiting' as const,
      reason: 'CrashLoopBackOff',
      restarts: 4,
    }
    const isPrevious = (query: string, restarts = 4) =>
      choice(query, [{ ...crashed, restarts }]).isPrevious
    expect(isPrevious('')).toBe(true)
    expect(isPrevious('previous=false')).toBe(false)
    expect(isPrevious('', 0)).toBe(false)
    expect(choice('', [{ ...crashed, reason: 'ImagePullBackOff' }]).isPrevious).toBe(false)
  })

  test.each([
    ['2026-11-28T09:21:00Z', 'Error', true],
    ['2026-11-28T09:19:00Z', 'Error', false],
    ['2026-11-28T09:21:00Z', 'Completed', false],
    ['2026-11-28T09:31:00Z', 'Error', false],
    [null, 'Error', false],
  ])('that runs again after an end at %s by %s', (finishedAt, reason, isPrevious) => {
    const ended = { container: 'app', reason, exitCode: 1, finishedAt }
    const again = [{ ...container('app'), restarts: 1 }]
    expect(choice('', again, ended).isPrevious).toBe(isPrevious)
    expect(choice('', again, { ...ended, container: 'proxy' }).isPrevious).toBe(false)
  })

  test('is an init container when there is no other, and none without containers', () => {
    expect(choice('', [container('migrate', 'init')]).container).toBe('migrate')
    expect(choice('', []).container).toBe('')
  })
})

test.each([
  ['', false, '500', true],
  ['tail=100&follow=false', false, '100', false],
  ['tail=7', false, '500', true],
  ['previous=true', true, '500', false],
] as const)('the choice of %j', (query, isPrevious, tail, isFollowed) => {
  expect(choice(query)).toMatchObject({ isPrevious, tail, isFollowed })
})

const place = { cluster: 'dev-east', namespace: 'payments-dev' }
const LOG = '/api/v1/clusters/dev-east/namespaces/payments-dev/pods/app-1/log'

test.each([
  ['', `${LOG}?container=app&tailLines=500&follow=true`, `${LOG}?container=app`],
  [
    'previous=true&container=worker',
    `${LOG}?container=worker&tailLines=500&previous=true`,
    `${LOG}?container=worker&previous=true`,
  ],
])('the addresses of %j', (query, read, download) => {
  expect(logUrl(place, 'app-1', choice(query))).toBe(read)
  expect(downloadUrl(place, 'app-1', choice(query))).toBe(download)
})
