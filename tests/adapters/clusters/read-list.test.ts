import { expect, test } from 'bun:test'
import { readList } from '#src/lib/adapters/clusters/kubernetes/read-list.ts'
import { err, ok } from '#src/lib/result.ts'

const MEGABYTE = 1024 * 1024
const encoder = new TextEncoder()

const answering = (chunks: Iterable<Uint8Array>) => {
  const each = chunks[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = each.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function* listOf(items: number, itemBytes: number): Generator<Uint8Array> {
  yield encoder.encode('{"metadata":{},"items":[')
  for (let item = 0; item < items; item++) {
    const text = JSON.stringify({ item, filling: 'x'.repeat(itemBytes) })
    yield encoder.encode(item === 0 ? text : `,${text}`)
  }
  yield encoder.encode(']}')
}

test('a list that has arrived at once is read piece by piece', async () => {
  const body = Buffer.concat([...listOf(300, 10_000)])
  // Reading frees the chunk.
  const { byteLength: bytes } = body
  const seen: unknown[] = []
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const list = await readList(answering([body]), MEGABYTE, (item) => seen.push(item) > 0)
  clearInterval(timer)
  expect(list).toStrictEqual(ok({ envelope: { metadata: {}, items: [] }, bytes }))
  expect(seen.map((item) => (item as { item: number }).item)).toStrictEqual(
    Array.from({ length: 300 }, (_, index) => index),
  )
  expect(turns).toBeGreaterThan(0)
})

test('a list may have sixty-four megabytes, and no more', async () => {
  let sent = 0
  function* counted() {
    for (const chunk of listOf(100, MEGABYTE)) {
      sent += chunk.byteLength
      yield chunk
    }
  }
  expect(await readList(answering(counted()), 2 * MEGABYTE, () => true)).toStrictEqual(
    err({ kind: 'cluster_error', reason: `more than ${64 * MEGABYTE} bytes` }),
  )
  expect(sent).toBeLessThan(70 * MEGABYTE)
  expect(await readList(answering(listOf(60, MEGABYTE)), 2 * MEGABYTE, () => true)).toMatchObject({
    ok: true,
  })
})

test('an item that is not taken ends the reading', async () => {
  let taken = 0
  const answer = await readList(answering(listOf(100, 10)), MEGABYTE, () => ++taken < 3)
  expect(answer).toMatchObject({ error: { reason: 'the answer has an unexpected shape' } })
  expect(taken).toBe(3)
})

test('one item that is not taken makes it no list, whatever comes after', async () => {
  const bytes = Buffer.concat([...listOf(3, 10)])
  const taken = [true, false, true]
  expect(await readList(answering([bytes]), MEGABYTE, () => taken.shift() ?? true)).toMatchObject({
    error: { reason: 'the answer has an unexpected shape' },
  })
})

test('what else is in the memory of what was read stays', async () => {
  const bytes = new Uint8Array(Buffer.concat([...listOf(3, 10)]))
  const halves = [bytes.subarray(0, 40), bytes.subarray(40)]
  expect(await readList(answering(halves), MEGABYTE, () => true)).toMatchObject({ ok: true })
  expect(bytes.byteLength).toBeGreaterThan(0)
})

test('what was read weighs nothing any more', async () => {
  const chunks = [...listOf(10, 100_000)]
  await readList(answering(chunks), MEGABYTE, () => true)
  expect(chunks.map(({ buffer }) => buffer.byteLength)).toStrictEqual(chunks.map(() => 0))
})
