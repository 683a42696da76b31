import { describe, expect, test } from 'bun:test'
import {
  clusterWords,
  isTrouble,
  podMatches,
  podSentence,
  podsInOrder,
  podWord,
  siblingsOf,
} from '#src/console/pages/clusters/pod-words.ts'

const pod = (name: string, status: string, ready = 1, total = 1) => ({
  name,
  status,
  ready: { ready, total },
})

test.each([
  ['Running', 2, 'ok', false],
  ['Running', 1, 'warn', true],
  ['NotReady', 1, 'warn', true],
  ['Completed', 0, 'idle', false],
  ['Terminating', 2, 'idle', false],
  ['Pending', 0, 'info', false],
  ['Init:1/3', 0, 'info', false],
  ['ContainerCreating', 0, 'info', false],
  ['Init:CrashLoopBackOff', 0, 'bad', true],
  ['Init:ExitCode:1', 0, 'bad', true],
  ['CrashLoopBackOff', 1, 'bad', true],
  ['OOMKilled', 1, 'bad', true],
  ['ImagePullBackOff', 0, 'bad', true],
  ['Evicted', 0, 'bad', true],
  ['SomethingNew', 0, 'bad', true],
] as const)('%s with %d of 2 ready is %s', (status, ready, tone, hasTrouble) => {
  const it = pod('x', status, ready, 2)
  expect(podWord(it)).toMatchObject({ tone, label: status })
  expect(isTrouble(it)).toBe(hasTrouble)
})

test('problems come first, then names', () => {
  const pods = [
    pod('a', 'Completed', 0),
    pod('d', 'Running'),
    pod('c', 'Running'),
    pod('z', 'Running', 0),
    pod('y', 'CrashLoopBackOff', 0),
    pod('b', 'Pending', 0),
  ]
  expect(podsInOrder(pods).map(({ name }) => name)).toStrictEqual(['y', 'z', 'b', 'c', 'd', 'a'])
})

describe('search', () => {
  const it = {
    ...pod('payments-api-5cb-mrn6c', 'Running'),
    node: 'node-2',
    images: ['ghcr.io/acme/payments-api:1.5.0'],
    lastTermination: { reason: 'OOMKilled' },
  }
  test.each([
    ['', true],
    ['PAYMENTS oomkilled', true],
    [' node-2  1.5.0 ', true],
    ['payments pending', false],
  ])('%j', (search, isFound) => {
    expect(podMatches(it, search)).toBe(isFound)
  })
  test('a pod without a node and an end', () => {
    expect(podMatches({ ...it, node: null, lastTermination: null }, 'null')).toBe(false)
  })
})

test.each([
  ['Running', 2, 'node-1', 'It runs, and is ready.'],
  ['Running', 1, 'node-1', '1 of 2 containers is ready.'],
  ['Running', 0, 'node-1', '0 of 2 containers are ready.'],
  ['Completed', 0, 'node-1', 'It has done its work, and ended.'],
  ['Terminating', 0, 'node-1', 'It is being stopped.'],
  ['Pending', 0, null, 'It waits for a node that has room.'],
  ['Pending', 0, 'node-1', 'Its containers are being started.'],
  ['Init:0/1', 0, 'node-1', 'It waits for its init containers.'],
  ['OOMKilled', 0, 'node-1', 'It used more memory than its limit.'],
  ['Init:ErrImagePull', 0, 'node-1', 'The image cannot be pulled.'],
  ['Odd', 0, 'node-1', 'Its containers and events say more.'],
])('%s with %d of 2 ready on %p: %s', (status, ready, node, sentence) => {
  expect(podSentence({ ...pod('x', status, ready, 2), node })).toBe(sentence)
})

test.each([
  [null, null, null],
  ['', null, null],
  ['0/3 nodes are available', null, '0/3 nodes are available'],
  ['back-off 5m', 'back-off 5m', null],
])("of %p, with %p at its container, %p is the cluster's word", (statusMessage, message, words) => {
  expect(clusterWords({ statusMessage, containers: [{ message }] })).toBe(words)
})

describe('pods that took the place of another', () => {
  const owned = (name: string, owner: string | null) => ({
    name,
    owner: owner === null ? null : { kind: 'Deployment', name: owner },
  })
  const pods = [
    owned('shop-1-a', 'shop'),
    owned('shop-api-2-b', 'shop-api'),
    owned('shop-api-2-c', 'shop-api'),
    owned('alone', null),
  ]
  const names = (name: string, owner: string | null = null) =>
    siblingsOf(pods, name, owned(name, owner).owner).map((each) => each.name)

  test.each([
    ['shop-api-1-x', null, ['shop-api-2-b', 'shop-api-2-c']],
    ['shop-1-x', null, ['shop-1-a']],
    ['shop-api-2-b', null, ['shop-api-2-c']],
    ['strange', 'shop', ['shop-1-a']],
    ['nobody', null, []],
    ['alone', null, []],
  ])('%s of %p', (name, owner, expected) => {
    expect(names(name, owner)).toStrictEqual(expected)
  })
})
