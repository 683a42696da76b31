import { describe, expect, test } from 'bun:test'
import { closingStream } from '#src/lib/domain/clusters/log-stream.ts'

describe('closingStream', () => {
  const going = new AbortController().signal
  const chunk = new TextEncoder().encode('a line\n')

  test('passes on what comes, and tells of the end once', async () => {
    let ends = 0
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(chunk)
        controller.close()
      },
    })
    expect(await new Response(closingStream(source, going, () => ends++)).text()).toBe('a line\n')
    expect(ends).toBe(1)
  })

  test('tells of a failure, which its reader sees', async () => {
    let ends = 0
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut off')),
    })
    expect(new Response(closingStream(source, going, () => ends++)).text()).rejects.toThrow(
      'cut off',
    )
    await Bun.sleep(1)
    expect(ends).toBe(1)
  })

  test('what ends by its signal ends as if there were no more', async () => {
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut off')),
    })
    expect(await new Response(closingStream(source, AbortSignal.abort(), () => {})).text()).toBe('')
  })

  test('tells of a reader that leaves, and lets go of the source', async () => {
    let ends = 0
    let cancelled: unknown
    const source = new ReadableStream<Uint8Array>({
      cancel: (reason) => {
        cancelled = reason
      },
    })
    await closingStream(source, going, () => ends++).cancel('gone')
    expect([ends, cancelled]).toStrictEqual([1, 'gone'])
  })

  test('reads no further than its reader', async () => {
    let pulls = 0
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls++
          controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    const reader = closingStream(source, going, () => {}).getReader()
    await Bun.sleep(1)
    expect(pulls).toBe(0)
    await reader.read()
    expect(pulls).toBe(1)
    await reader.cancel()
  })
})
