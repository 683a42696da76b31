import { expect, jest, test } from 'bun:test'
import { readTypedBody } from '#src/lib/http/body.ts'

test('a client that goes away while it sends a body is no unexpected error', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const begun = Promise.withResolvers<void>()
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const options = { limitBytes: 1_000, accepted: ['application/json'] }
      readTypedBody(request, options).then(resolve, reject)
      begun.resolve()
      await promise
      return new Response()
    },
  })
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(server.port),
    socket: { data() {} },
  })
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
  )
  await begun.promise
  socket.end()
  expect(await promise).toStrictEqual({ ok: false, error: { kind: 'body_incomplete' } })
})

test('a body that stops has a minute', async () => {
  jest.useFakeTimers()
  const request = new Request('http://portal.test/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{"a":')) }),
  })
  const read = readTypedBody(request, { limitBytes: 1_000, accepted: ['application/json'] })
  for (let tick = 0; tick < 100; tick += 1) await Promise.resolve()
  expect(Bun.peek.status(read)).toBe('pending')
  jest.advanceTimersByTime(60_000)
  expect(await read).toStrictEqual({ ok: false, error: { kind: 'body_incomplete' } })
  jest.useRealTimers()
})
