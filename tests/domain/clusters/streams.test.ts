import { describe, expect, test } from 'bun:test'
import { tellingEnd } from '#src/lib/domain/clusters/pod-log.ts'
import { createStreamLimit } from '#src/lib/domain/clusters/stream-limit.ts'
import type { Principal } from '#src/lib/ports/identity.ts'

const person = (subject: string): Principal => ({
  issuer: 'i',
  subject,
  name: subject,
  email: null,
  groups: { kind: 'unknown' },
})

describe('the limit of open streams', () => {
  test('is each person’s own, and is given back once', () => {
    const limit = createStreamLimit({ perPerson: 2, all: 10 })
    const [first, second] = [limit.begin(person('a')), limit.begin(person('a'))]
    expect([first.ok, second.ok]).toStrictEqual([true, true])
    expect(limit.begin(person('a'))).toStrictEqual({
      ok: false,
      error: { kind: 'too_many_streams' },
    })
    expect(limit.begin(person('b')).ok).toBe(true)
    if (first.ok) {
      first.value()
      first.value()
    }
    expect(limit.begin(person('a')).ok).toBe(true)
    expect(limit.begin(person('a')).ok).toBe(false)
  })

  test('is also everybody’s together', () => {
    const limit = createStreamLimit({ perPerson: 2, all: 3 })
    for (const subject of ['a', 'b', 'c']) expect(limit.begin(person(subject)).ok).toBe(true)
    expect(limit.begin(person('d')).ok).toBe(false)
  })
})

describe('tellingEnd', () => {
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
    expect(await new Response(tellingEnd(source, going, () => ends++)).text()).toBe('a line\n')
    expect(ends).toBe(1)
  })

  test('tells of a failure, which its reader sees', async () => {
    let ends = 0
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut off')),
    })
    expect(new Response(tellingEnd(source, going, () => ends++)).text()).rejects.toThrow('cut off')
    await Bun.sleep(1)
    expect(ends).toBe(1)
  })

  test('what ends by its signal ends as if there were no more', async () => {
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('cut off')),
    })
    expect(await new Response(tellingEnd(source, AbortSignal.abort(), () => {})).text()).toBe('')
  })

  test('tells of a reader that leaves, and lets go of the source', async () => {
    let ends = 0
    let cancelled: unknown
    const source = new ReadableStream<Uint8Array>({
      cancel: (reason) => {
        cancelled = reason
      },
    })
    await tellingEnd(source, going, () => ends++).cancel('gone')
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
    const reader = tellingEnd(source, going, () => {}).getReader()
    await Bun.sleep(1)
    expect(pulls).toBe(0)
    await reader.read()
    expect(pulls).toBe(1)
    await reader.cancel()
  })
})
