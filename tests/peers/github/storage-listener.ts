import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Serve } from '#tests/peers/forge/listen.ts'
import { deliver } from '#tests/peers/forge/send.ts'
import { headersOf, type Parts } from './parts.ts'
import { serveBytes } from './storage.ts'

/** The storage of assets. Whoever sends credentials there has given them away. */
export const storageListener =
  (parts: () => Parts): Serve =>
  async (request, response) => {
    const { storage, arrivals, faults, deviations, delay } = parts()
    const url = new URL(request.url ?? '/', 'http://storage')
    const asset = storage.find(url)
    const name = 'storage/asset'
    const headers = headersOf(request)
    arrivals.push({ name, method: request.method ?? '', path: url.pathname, headers, body: null })
    const given = Object.keys(headers).filter((each) => /authorization|cookie|token/.test(each))
    if (given.length > 0) deviations.push(`storage was sent ${given.join(', ')}`)
    const fault = faults.next(name, false)
    await delay()
    if (fault?.kind === 'wait') await fault.until
    const unknown: Answer = {
      status: 403,
      headers: { 'content-type': 'application/xml' },
      body: Buffer.from('<Error/>'),
    }
    const answer = asset === undefined ? unknown : serveBytes(asset.bytes, headers['range'])
    deliver(request, response, answer, fault)
  }
