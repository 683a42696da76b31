import { expect, test } from 'bun:test'
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
