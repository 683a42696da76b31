import { describe, expect, test } from 'bun:test'
import { createStreams, type LineWriter } from '#src/demo/clusters/api/streams.ts'
import { NOW, openSimulation } from './open-simulation.ts'
import { bodyOf } from './read-events.ts'
import { readLines } from '#tests/support/read-lines.ts'

/** One stream with its writer and the number of times it was ended. */
function open(
  begin: (lines: LineWriter) => void = () => {},
  signal = new AbortController().signal,
) {
  const streams = createStreams()
  const seen = { ends: 0, lines: undefined as LineWriter | undefined }
  const answer = streams.open('text/plain', signal, (lines) => {
    seen.lines = lines
    begin(lines)
    return () => {
      seen.ends += 1
    }
  })
  if (!answer.ok) throw new Error(answer.error.message)
  return { streams, seen, answer: answer.value, write: (text: string) => seen.lines?.write(text) }
}

describe('a stream', () => {
  test('is written until its writer is done', async () => {
    const { seen, answer, write } = open()
    write('a\n')
    write('b\n')
    seen.lines?.end()
    write('too late\n')
    seen.lines?.end()
    expect([answer.headers.get('content-type'), await answer.text()]).toStrictEqual([
      'text/plain',
      'a\nb\n',
    ])
    expect(seen.ends).toBe(1)
  })

  test('may end while it begins', async () => {
    const { seen, answer } = open(({ write, end }) => {
      write('a\n')
      end()
    })
    expect(await answer.text()).toBe('a\n')
    expect(seen.ends).toBe(1)
  })

  test('ends when the client leaves', async () => {
    const { seen, answer, write, streams } = open()
    await answer.body?.cancel()
    write('nobody reads it\n')
    streams.closeAll()
    expect(seen.ends).toBe(1)
  })

  test('ends with its signal, once', async () => {
    const controller = new AbortController()
    const { seen, answer, streams } = open(() => {}, controller.signal)
    controller.abort()
    streams.closeAll()
    expect(await answer.text()).toBe('')
    expect(seen.ends).toBe(1)
    expect(open(() => {}, AbortSignal.abort()).seen.ends).toBe(1)
  })

  test('ends for a client that does not keep up, and not for one that does', async () => {
    const slow = open()
    for (let line = 0; line < 4_999; line++) slow.write('x\n')
    expect(slow.seen.ends).toBe(0)
    slow.write('x\n')
    expect(slow.seen.ends).toBe(1)
    const quick = open()
    const { next } = readLines(bodyOf(quick.answer))
    for (let round = 0; round < 4; round++) {
      for (let line = 0; line < 2_000; line++) quick.write('x\n')
      expect(await next()).toHaveLength(2_000)
    }
    expect(quick.seen.ends).toBe(0)
  })

  test('keeps no place when it could not begin', () => {
    const streams = createStreams()
    const { signal } = new AbortController()
    const fail = () =>
      streams.open('text/plain', signal, () => {
        throw new Error('bug')
      })
    for (let place = 0; place < 200; place++) expect(fail).toThrow('bug')
    expect(streams.open('text/plain', signal, () => () => {}).ok).toBe(true)
  })
})

test('a watch that is over has left nothing behind', async () => {
  const { store, timeline, streams } = openSimulation()
  const { watch } = await import('#src/demo/clusters/api/watch.ts')
  const { parseListOptions } = await import('#src/demo/clusters/api/list-options.ts')
  const { chooseRepresentation } = await import('#src/demo/clusters/api/representation.ts')
  let open = 0
  const counted = (undo: () => void) => {
    open += 1
    let isOpen = true
    return () => {
      if (isOpen) open -= 1
      isOpen = false
      undo()
    }
  }
  const parts = {
    streams,
    store: Object.assign(Object.create(store) as typeof store, {
      watch: (...args: Parameters<typeof store.watch>) => counted(store.watch(...args)),
    }),
    timeline: {
      now: () => timeline.now(),
      after: (ms: number, act: () => void) => {
        const forget = counted(
          timeline.after(ms, () => {
            forget()
            act()
          }),
        )
        return forget
      },
    },
  }
  const options = parseListOptions(
    'pods',
    undefined,
    new URLSearchParams('allowWatchBookmarks=true'),
  )
  const representation = chooseRepresentation('pods', null, new URLSearchParams(), () => NOW)
  if (!options.ok || !representation.ok) throw new Error('not parsed')
  const begin = () =>
    watch(parts, {
      resource: 'pods',
      options: options.value,
      representation: representation.value,
      signal: new AbortController().signal,
    })
  begin()
  expect(open).toBe(3)
  timeline.advanceTo(NOW + 200_000)
  expect(open).toBe(3)
  streams.closeAll()
  expect(open).toBe(0)
})
