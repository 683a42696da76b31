import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { eventStream, lastSeen, type SentEvent } from '#src/lib/http/sse.ts'
import { liveObjects } from '#tests/support/live-objects.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const going = () => new AbortController().signal
const never = () => new Promise<never>(() => {})
const textOf = (read: { readonly value?: unknown } | undefined): string =>
  Buffer.from((read?.value as Uint8Array | undefined) ?? []).toString()

/** Yields one event and then waits, even after its reader has left. */
async function* deaf(): AsyncGenerator<SentEvent, void, void> {
  yield { id: '1', event: 'step', data: '{}' }
  await never()
}

test('a stream that is quiet beats every ten seconds', async () => {
  const reader = eventStream(deaf, { stopping: going() }).body?.getReader()
  await reader?.read()
  await reader?.read()
  for (let beats = 0; beats < 2; beats++) {
    const beat = reader?.read() ?? never()
    await new Promise(setImmediate)
    jest.advanceTimersByTime(9_999)
    await new Promise(setImmediate)
    expect(Bun.peek.status(beat)).toBe('pending')
    jest.advanceTimersByTime(1)
    expect(textOf(await beat)).toBe(': still here\n\n')
  }
})

test('hours of quiet leave nothing behind', async () => {
  const reader = eventStream(deaf, { stopping: going() }).body?.getReader()
  const beat = async (times: number) => {
    for (let time = 0; time < times; time++) {
      const read = reader?.read()
      jest.advanceTimersByTime(10_000)
      await read
    }
    return liveObjects()
  }
  const before = await beat(50)
  expect((await beat(400)) - before).toBeLessThan(300)
})

test('a client that does not read is not beaten for', async () => {
  const reader = eventStream(deaf, { stopping: going() }).body?.getReader()
  for (let beats = 0; beats < 5; beats++) jest.advanceTimersByTime(10_000)
  const texts = [await reader?.read(), await reader?.read()].map(textOf)
  expect(texts).toStrictEqual(['retry: 2000\n\n', 'id: 1\nevent: step\ndata: {}\n\n'])
})

test('a stream that has ended leaves no clock behind', async () => {
  const three = async function* (): AsyncGenerator<SentEvent, void, void> {
    for (const id of [1, 2, 3]) yield { id, event: 'step', data: '{}' }
  }
  const streams = Array.from({ length: 50 }, () => eventStream(three, { stopping: going() }).text())
  await Promise.all(streams)
  // Some may be set by what other tests have left running in this worker.
  expect(jest.getTimerCount()).toBeLessThan(25)
})

test('a stream ends with the service, even if what it tells does not', async () => {
  const stop = new AbortController()
  const text = eventStream(deaf, { stopping: stop.signal }).text()
  await new Promise(setImmediate)
  stop.abort()
  expect(await text).toEndWith(': the service is going down, come again\n\n')
})

test('a service that is going down says so to who comes last', async () => {
  const stopping = AbortSignal.abort()
  expect(await eventStream(deaf, { stopping }).text()).toBe(
    'retry: 2000\n\n: the service is going down, come again\n\n',
  )
  expect(jest.getTimerCount()).toBe(0)
})

test('a Last-Event-ID has nine digits at most', () => {
  const seenOf = (id: string) =>
    lastSeen(new Request('http://x', { headers: { 'last-event-id': id } }), 3)
  expect([seenOf('999999999'), seenOf('9999999999')]).toStrictEqual([999_999_999, 3])
})
