import { afterAll, beforeAll, expect, test } from 'bun:test'

const peer = new URL('../peers/failing-server.ts', import.meta.url).pathname
let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
let origin: string

beforeAll(async () => {
  child = Bun.spawn([process.execPath, peer], { stdout: 'pipe', stderr: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  origin = new TextDecoder().decode(value).trim()
})
afterAll(() => child.kill())

/** A copy can go after it was found and before it is opened to be sent. */
test.each(['whole', 'part', 'thrown'])(
  'what the application cannot answer itself is still an answer of ours: %s',
  async (path) => {
    const response = await fetch(origin + path)
    const text = await response.text()
    const requestId = response.headers.get('x-request-id') ?? ''
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(text)).toStrictEqual({
      type: 'urn:portico:problem:internal_error',
      title: 'Something unexpected went wrong; the request id finds it in the log',
      status: 500,
      code: 'internal_error',
      instance: '',
      requestId,
    })
    const names = ['content-type', 'cache-control', 'x-content-type-options', 'referrer-policy']
    expect([response.status, ...names.map((name) => response.headers.get(name))]).toStrictEqual([
      500,
      'application/problem+json',
      'no-store',
      'nosniff',
      'no-referrer',
    ])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  },
)

test('the log has the reason, by the request id', async () => {
  const response = await fetch(`${origin}thrown`)
  const requestId = response.headers.get('x-request-id') ?? 'none'
  let printed = ''
  for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) {
    printed += part
    if (printed.includes(requestId) && printed.includes('secret reason')) break
  }
  expect(printed).toContain(requestId)
})
