import { expect, test } from 'bun:test'
import { answerDownload } from '#src/lib/http/cli-download.ts'
import { setContext } from '#src/lib/http/request-context.ts'
import { err } from '#src/lib/result.ts'

test('who is told to come again is told when', async () => {
  const request = new Request('http://x.test/')
  setContext(request, { requestId: 'r', path: '/', session: { kind: 'none' } })
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
