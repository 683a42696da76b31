import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { connect } from 'node:net'
import { digestOf, FILENAME, LINUX, newProgram, openShelf } from '#tests/support/cli-shelf.ts'

/** The server has its own idea of ranges of files: ours has to win. */
test('ranges and conditions are answered on a socket as they are without one', async () => {
  await using shelf = await openShelf()
  const { digest, ...file } = newProgram()
  shelf.publish([file])
  await using served = await shelf.serve()

  const number = fc.oneof(
    fc.nat(400_000),
    fc.constantFrom('', ' ', '0', '299999', '300000', 'x', '-1'),
  )
  const range = fc.oneof(
    fc.tuple(number, number).map(([from, to]) => `bytes=${from}-${to}`),
    fc.tuple(number, number).map(([from, to]) => `bytes=${from}-${to},0-5`),
    fc.constantFrom('bytes', 'bytes=', 'lines=0-5', 'bytes 0-5', 'BYTES=0-5', 'bytes = 0-5'),
  )
  const tag = `"${digest}"`
  const date = 'Sat, 21 Nov 2026 15:20:24 GMT'
  const conditions = fc.record(
    {
      'if-range': fc.constantFrom(tag, `W/${tag}`, '"x"', digest, date, '', '*', `${tag}, "x"`),
      'if-match': fc.constantFrom('"x"', `W/${tag}`, '*', tag),
      'if-none-match': fc.constantFrom('"x"', tag),
    },
    { requiredKeys: [] },
  )
  const shown = async (response: Response, method: string) => {
    const ignored = ['x-request-id', 'date', 'connection']
    const isProblem = response.status >= 400
    const fields = [...response.headers]
      .filter(([name]) => !ignored.includes(name))
      // What the server itself counts.
      .filter(([name]) => !isProblem || name !== 'content-length')
    const isRead = isProblem && method === 'GET'
    const content = isRead
      ? ((await response.json()) as { code: string }).code
      : await digestOf(response)
    return { status: response.status, fields: Object.fromEntries(fields), content }
  }
  await fc.assert(
    fc.asyncProperty(
      range,
      conditions,
      fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
      async (range, conditions, method) => {
        const headers = { ...conditions, range }
        const inside = await shelf.get(LINUX, { method, headers })
        const outside = await fetch(served.origin + LINUX, {
          method,
          headers: { ...served.headers, ...headers },
        })
        expect(await shown(outside, method)).toStrictEqual(await shown(inside, method))
      },
    ),
    { numRuns: 300 },
  )
})

test.skipIf(Bun.which('curl') === null)('curl goes on where it stopped', async () => {
  await using shelf = await openShelf()
  const { digest, ...file } = newProgram()
  shelf.publish([file])
  await using served = await shelf.serve()
  const target = `${shelf.portal.directory}/download`
  await Bun.write(target, file.bytes.subarray(0, 123_456))
  const resume = async (...more: readonly string[]) => {
    const { host, cookie } = served.headers
    const headers = [`Host: ${host}`, `Cookie: ${cookie}`, ...more].flatMap((text) => ['-H', text])
    const command = ['curl', '-sS', '-C', '-', '-o', target, ...headers, served.origin + LINUX]
    return Bun.spawn(command, { stderr: 'ignore' }).exited
  }
  expect(await resume(`If-Range: "${'0'.repeat(64)}"`)).not.toBe(0)
  expect(await Bun.file(target).bytes()).toStrictEqual(file.bytes.slice(0, 123_456))
  expect(await resume(`If-Range: "${digest}"`)).toBe(0)
  expect(await digestOf(new Response(Bun.file(target)))).toBe(digest)
})

describe('a client that leaves', () => {
  test('while the file is fetched does not stop the others, nor the fetch', async () => {
    await using shelf = await openShelf()
    const { digest, ...file } = newProgram()
    shelf.publish([file])
    await using served = await shelf.serve()
    const go = Promise.withResolvers<void>()
    shelf.host.answer(FILENAME, (response) => void go.promise.then(() => response.end(file.bytes)))
    const leaving = new AbortController()
    const { headers } = served
    const left = fetch(served.origin + LINUX, { headers, signal: leaving.signal })
    const outcome = left.catch(() => 'left')
    while (shelf.host.opened.length === 0) await Bun.sleep(1)
    const staying = fetch(served.origin + LINUX, { headers })
    leaving.abort()
    expect(await outcome).toBe('left')
    go.resolve()
    expect(await digestOf(await staying)).toBe(digest)
    expect(shelf.host.opened).toHaveLength(1)
  })

  test('alone does not stop the fetch: who comes again finds the file', async () => {
    await using shelf = await openShelf()
    const { digest, ...file } = newProgram()
    shelf.publish([file])
    await using served = await shelf.serve()
    const go = Promise.withResolvers<void>()
    shelf.host.answer(FILENAME, (response) => void go.promise.then(() => response.end(file.bytes)))
    const leaving = new AbortController()
    const { headers } = served
    const left = fetch(served.origin + LINUX, { headers, signal: leaving.signal })
    const outcome = left.catch(() => 'left')
    while (shelf.host.opened.length === 0) await Bun.sleep(1)
    leaving.abort()
    expect(await outcome).toBe('left')
    go.resolve()
    while (!(await shelf.kept()).includes(digest)) await Bun.sleep(1)
    expect(await shelf.download(LINUX)).toBe(digest)
    expect(shelf.host.opened).toHaveLength(1)
  })

  test('in the middle of its copy does not stop another', async () => {
    await using shelf = await openShelf()
    const { digest, ...file } = newProgram(8_000_000)
    shelf.publish([file])
    await using served = await shelf.serve()
    const { host, cookie } = served.headers
    const socket = connect(served.port, '127.0.0.1', () =>
      socket.write(`GET ${LINUX} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`),
    )
    await new Promise((resolve) => socket.once('data', resolve))
    const staying = await fetch(served.origin + LINUX, { headers: served.headers })
    socket.destroy()
    expect(await digestOf(staying)).toBe(digest)
  })
})
