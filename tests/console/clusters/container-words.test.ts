import { expect, test } from 'bun:test'
import { unreachableWords } from '#src/console/pages/clusters/cluster-words.ts'
import { shortImage } from '#src/console/pages/clusters/image.ts'
import { containerNote, containerWord } from '#src/console/pages/clusters/pod-words.ts'

const container = {
  name: 'app',
  image: null,
  digest: null,
  init: false,
  sidecar: false,
  ephemeral: false,
  ready: false,
  started: false,
  restarts: 0,
  state: null,
  reason: null,
  message: null,
  lastTermination: null,
}

test.each([
  [{ state: 'running', ready: true }, 'ok', 'Running'],
  [{ state: 'running' }, 'warn', 'Running, not ready'],
  [{ state: 'running', init: true }, 'ok', 'Running'],
  [{ state: 'running', init: true, sidecar: true }, 'warn', 'Running, not ready'],
  [{ state: 'terminated', reason: 'Completed' }, 'idle', 'Completed'],
  [{ state: 'terminated', reason: 'OOMKilled' }, 'bad', 'OOMKilled'],
  [{ state: 'terminated' }, 'bad', 'Terminated'],
  [{ state: 'waiting', reason: 'ContainerCreating' }, 'info', 'ContainerCreating'],
  [{ state: 'waiting', reason: 'CrashLoopBackOff' }, 'bad', 'CrashLoopBackOff'],
  [{ state: 'waiting' }, 'info', 'Waiting'],
  [{}, 'info', 'Waiting'],
] as const)('a container that is %j', (change, tone, label) => {
  expect(containerWord({ ...container, ...change })).toMatchObject({ tone, label })
})

test('a note is the message of the cluster, or what the reason means', () => {
  expect(containerNote({ ...container, reason: 'OOMKilled' })).toContain('more memory')
  expect(containerNote({ ...container, reason: 'OOMKilled', message: 'its words' })).toBe(
    'its words',
  )
  expect(containerNote({ ...container, reason: 'Odd' })).toBeNull()
  expect(containerNote(container)).toBeNull()
})

test.each([
  ['ghcr.io/acme/shop:1.2.3', 'shop:1.2.3'],
  ['shop', 'shop'],
  ['localhost:5000/shop', 'shop'],
  [`ghcr.io/acme/shop:1@sha256:${'a'.repeat(64)}`, `shop:1@sha256:${'a'.repeat(12)}`],
])('the short form of %s is %s', (image, short) => {
  expect(shortImage(image)).toBe(short)
})

test.each([
  ['connection_refused', 'Its API server refuses connections.'],
  ['some_new_code', 'Reason: some new code.'],
  [null, ''],
])('%p is %j', (reason, words) => {
  expect(unreachableWords(reason)).toBe(words)
})
