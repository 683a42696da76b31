import { describe, expect, test } from 'bun:test'
import { eventStream, lastSeen, type SentEvent } from '#src/lib/http/sse.ts'
import { liveObjectsOf } from '#tests/support/live-objects.ts'

const never = new AbortController().signal
const event = (seq: number): SentEvent => ({
  id: String(seq),
  event: 'step',
  data: `{"n":${seq}}`,
})

/** Yields on demand, and reports when its reader has left. */
function createSource() {
  const state = { asked: 0, ended: false }
  const source = async function* (signal: AbortSignal): AsyncGenerator<SentEvent, void, void> {
    try {
      for (;;) {
        state.asked += 1
        yield event(state.asked)
        if (state.asked % 3 === 0) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          return
        }
      }
    } finally {
      state.ended = true
    }
  }
  return { state, source }
}

const textOf = (chunk: { readonly value?: Uint8Array | undefined }): string =>
  new TextDecoder().decode(chunk.value)

describe('a stream of events', () => {
  test('leaves at once, before there is an event, with the headers that proxies need', async () => {
    const response = eventStream(() => createQuiet(), {
      stopping: never,
      headers: { 'x-run-id': 'r' },
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-run-id': 'r',
    })
    const reader = response.body?.getReader()
    expect(textOf((await reader?.read()) ?? {})).toBe('retry: 2000\n\n')
    await reader?.cancel()
  })

  test('has frames with id, event and data, and ends with its source', async () => {
    expect(await eventStream(() => twoOf(() => undefined), { stopping: never }).text()).toBe(
      'retry: 2000\n\nid: 1\nevent: step\ndata: {"n":1}\n\nid: 2\nevent: step\ndata: {"n":2}\n\n',
    )
  })

  test('beats while it is quiet', async () => {
    const stop = new AbortController()
    const response = eventStream((signal) => createQuiet(signal), {
      stopping: stop.signal,
      heartbeatMs: 10,
    })
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true })
      if (text.split(': still here\n\n').length > 3) stop.abort()
    }
    expect(text.split(': still here\n\n').length).toBeGreaterThan(3)
    expect(text.endsWith(': the service is going down, come again\n\n')).toBe(true)
  })

  test('keeps nothing of what it has sent', async () => {
    const data = `"${'x'.repeat(100_000)}"`
    const source = async function* (signal: AbortSignal): AsyncGenerator<SentEvent, void, void> {
      yield { id: '1', event: 'step', data }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => eventStream(source, { stopping: never }),
    })
    const leave = new AbortController()
    const streams = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { body } = await fetch(server.url, { signal: leave.signal })
        const reader = body?.getReader()
        let text = ''
        while (!text.includes(data)) text += textOf((await reader?.read()) ?? {})
        return reader
      }),
    )
    const { count, bytes } = liveObjectsOf('ReadableHTTPResponseSinkController')
    expect(count).toBeGreaterThanOrEqual(streams.length)
    expect(bytes).toBeLessThan(data.length)
    leave.abort()
  })

  test('asks for no more than the client takes, and stops its source when the client leaves', async () => {
    const { state, source } = createSource()
    const response = eventStream(source, { stopping: never })
    await Bun.sleep(20)
    expect(state.asked).toBeLessThanOrEqual(1)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    await Bun.sleep(20)
    expect(state.asked).toBeLessThanOrEqual(3)
    await reader?.cancel()
    while (!state.ended) await Bun.sleep(1)
    expect(state.ended).toBe(true)
  })

  test.each<[string, () => AsyncGenerator<SentEvent, void, void>]>([
    ['done', () => twoOf(() => undefined)],
    ['broken', () => twoOf(() => Promise.reject(new Error('a bug')))],
  ])('tells a source that is %s that nobody listens any more', async (_, source) => {
    let heard = new AbortController().signal
    const response = eventStream(
      (signal) => {
        heard = signal
        return source()
      },
      { stopping: never },
    )
    await response.text().catch(() => undefined)
    expect(heard.aborted).toBe(true)
  })

  test('breaks off when its source fails, so that the client comes again', async () => {
    const broken = async function* (): AsyncGenerator<SentEvent, void, void> {
      yield event(1)
      throw new Error('the database is gone')
    }
    const text = eventStream(broken, { stopping: never }).text()
    expect(await text.catch(() => 'broke off')).toBe('broke off')
  })
})

async function* twoOf(last: () => Promise<never> | undefined) {
  yield event(1)
  await last()
  yield event(2)
}

async function* createQuiet(signal = never): AsyncGenerator<SentEvent, void, void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  yield* []
}

test.each([
  ['7', undefined, 7],
  ['7', 3, 7],
  ['', 3, 3],
  ['x', 3, 3],
  ['-1', undefined, 0],
  ['1e3', undefined, 0],
])('Last-Event-ID %p and after %p begin behind %p', (header, after, expected) => {
  const request = new Request('http://x', { headers: header ? { 'last-event-id': header } : {} })
  expect(lastSeen(request, after)).toBe(expected)
})
