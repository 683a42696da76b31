import { describe, expect, test } from 'bun:test'
import { answerDownload } from '#src/lib/presenters/cli/download.ts'
import { type RequestContext, setContext } from '#src/lib/http/request-context.ts'
import { err, ok } from '#src/lib/result.ts'
import { sha256Of } from '#tests/support/assets.ts'

const CONTEXT: RequestContext = {
  requestId: 'r',
  path: '/',
  address: null,
  publicOrigin: 'http://portal.test',
  bearer: { kind: 'none' },
  scopeOf: () => undefined,
  secureCookies: false,
  hasConsole: true,
  isFromScript: false,
  session: { kind: 'none' },
}

test('who is told to come again is told when', async () => {
  const request = new Request('http://x.test/')
  setContext(request, CONTEXT)
  const response = await answerDownload(request, {
    version: '1.0.0',
    filename: 'portico',
    sizeBytes: 1,
    sha256: null,
    open: () => Promise.resolve(err({ kind: 'asset_pending' })),
  })
  expect([response.status, response.headers.get('retry-after')]).toStrictEqual([503, '5'])
  expect(await response.json()).toMatchObject({ code: 'asset_pending' })
})

describe('only the file that the client means', () => {
  const bytes = new TextEncoder().encode('portico')
  const sha256 = sha256Of(bytes)
  const etag = `"${sha256}"`
  const OTHER = `"${'0'.repeat(64)}"`

  async function ask(headers: Record<string, string>, isKnown: boolean, method = 'GET') {
    const request = new Request('http://x.test/', { method, headers })
    setContext(request, CONTEXT)
    const content = new Blob([bytes])
    let isOpened = false
    const response = await answerDownload(request, {
      version: '1.0.0',
      filename: 'portico',
      sizeBytes: bytes.length,
      sha256: isKnown ? sha256 : null,
      open() {
        isOpened = true
        return Promise.resolve(ok({ sha256, sizeBytes: bytes.length, content }))
      },
    })
    return { response, isOpened }
  }

  test.each([
    [etag, 200],
    [` ${OTHER} , ${etag}`, 200],
    ['*', 200],
    [OTHER, 412],
    [`W/${etag}`, 412],
    [sha256, 412],
    [`"${sha256}, x"`, 412],
    ['', 412],
  ])('If-Match: %s', async (condition, status) => {
    for (const isKnown of [true, false]) {
      const { response, isOpened } = await ask({ 'if-match': condition }, isKnown)
      expect(response.status).toBe(status)
      expect(isOpened).toBe(status === 200 || !isKnown)
      expect(response.headers.get('etag')).toBe(etag)
      if (status === 412)
        expect(await response.json()).toMatchObject({ code: 'precondition_failed' })
    }
  })

  test.each([
    [{ 'if-match': OTHER, 'if-none-match': etag }, 412],
    [{ 'if-match': etag, 'if-none-match': etag }, 304],
    [{ 'if-match': OTHER, range: 'bytes=0-1' }, 412],
    [{ 'if-match': OTHER, range: 'bytes=9-' }, 412],
    [{ 'if-match': etag, range: 'bytes=0-1' }, 206],
    [{ 'if-match': etag, range: 'bytes=9-' }, 416],
  ])('comes before the other conditions: %j', async (headers, status) => {
    for (const isKnown of [true, false])
      expect((await ask(headers, isKnown)).response.status).toBe(status)
  })

  test('also by HEAD', async () => {
    const { response } = await ask({ 'if-match': OTHER }, true, 'HEAD')
    expect(response.status).toBe(412)
  })
})
