import { describe, expect, test } from 'bun:test'
import { type AnswerParts, answers, startRawHost } from '#tests/peers/raw-host.ts'
import { openClient, READ, WRITE } from './open-client.ts'

const saying = (status: number, ...errors: readonly string[]): AnswerParts => ({
  status,
  json: { errors },
})
const page = (status: number): AnswerParts => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html>canary-text</html>',
})
const plain = (status: number, body = ''): AnswerParts => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})
const OK = { json: { data: { version: 1 } } }

/** The outcomes of a read and a write at a store that always gives this answer. */
async function outcomesAt(answer: AnswerParts) {
  using host = await startRawHost(answers(answer))
  const { client } = openClient(host.url)
  return [await client.send(READ), await client.send(WRITE)]
}

describe('an answer that depends on the request is for the caller', () => {
  const deleted = {
    data: { metadata: { version: 1, deletion_time: '2026-11-23T03:46:00Z' }, subkeys: null },
  }
  test.each<[string, number, AnswerParts, unknown]>([
    ['a success', 200, OK, OK.json],
    ['a success without a body', 204, { status: 204 }, undefined],
    [
      'a lost race',
      400,
      saying(400, 'check-and-set parameter did not match the current version'),
      { errors: ['check-and-set parameter did not match the current version'] },
    ],
    [
      'a refusal by the policy',
      403,
      saying(403, '1 error occurred:\n\t* permission denied\n\n'),
      { errors: ['1 error occurred:\n\t* permission denied\n\n'] },
    ],
    ['an absent entry', 404, saying(404), { errors: [] }],
    ['a deleted entry', 404, { status: 404, json: deleted }, deleted],
    ['a patch of an absent entry', 404, { status: 404, body: '' }, undefined],
    [
      'a missing mount',
      404,
      saying(404, 'no handler for route "secret/data/a". route entry not found.'),
      { errors: ['no handler for route "secret/data/a". route entry not found.'] },
    ],
    ['a method that the path does not have', 405, saying(405), { errors: [] }],
    [
      'a body of another type',
      415,
      saying(415, 'PATCH requires Content-Type of application/merge-patch+json, provided x'),
      { errors: ['PATCH requires Content-Type of application/merge-patch+json, provided x'] },
    ],
  ])('%s', async (_, status, answer, json) => {
    const outcome = { ok: true, value: { status, json } } as const
    expect(await outcomesAt(answer)).toStrictEqual([outcome, outcome])
  })
})

describe('a store that takes no requests', () => {
  const sealed = { ok: false, error: { kind: 'secret_store_sealed' } } as const
  const unreachable = { ok: false, error: { kind: 'secret_store_unreachable' } } as const

  test.each([
    ['Vault is sealed'],
    ['error performing token check: Vault is sealed'],
    ['API access to this namespace has been locked by an administrator'],
  ])('is sealed, until people open it: %s', async (text) => {
    expect(await outcomesAt(saying(503, text))).toStrictEqual([sealed, sealed])
  })

  test.each<[number, AnswerParts]>([
    [500, saying(500, 'local node not active but active cluster node not found')],
    [503, saying(503, 'no active Vault instance found')],
    [503, saying(503, 'no active OpenBao instance found')],
    [503, saying(503, 'node is not active')],
    [400, saying(400, 'path disabled in replication DR secondary mode')],
    [472, saying(472)],
    [473, saying(473)],
    [501, saying(501)],
  ])('has no active node: %i', async (_, answer) => {
    expect(await outcomesAt(answer)).toStrictEqual([unreachable, unreachable])
  })

  test.each<[string, AnswerParts]>([
    ['502 of a gateway', page(502)],
    ['504 of a gateway', plain(504)],
    ['503 of a gateway', page(503)],
    ['503 of an overloaded store', saying(503, 'overloaded, try again later')],
  ])('cannot be reached: %s', async (_, answer) => {
    expect(await outcomesAt(answer)).toStrictEqual([unreachable, unreachable])
  })

  test.each([
    'Upgrading from non-versioned to versioned data. This backend will be unavailable for a brief period and will resume service shortly.',
    'Waiting for the primary to upgrade from non-versioned to versioned data. This backend will be unavailable for a brief period and will resume service when the primary is finished.',
  ])('upgrades a mount, for a moment: %s', async (text) => {
    expect(await outcomesAt(saying(400, text))).toStrictEqual([unreachable, unreachable])
  })
})

describe('a quota', () => {
  const refused = (headers: Record<string, string>): AnswerParts => ({
    ...saying(429, 'request path "secret/data/a": rate limit quota exceeded'),
    headers,
  })
  const limited = (retryAfterSeconds: number) =>
    ({ ok: false, error: { kind: 'secret_store_rate_limited', retryAfterSeconds } }) as const

  test.each([
    ['30', 30],
    ['999999999', 3_600],
    ['0', 1],
    ['Mon, 23 Nov 2026 03:46:00 GMT', 1],
  ])('that asks for a wait of %s', async (stated, seconds) => {
    const answer = refused({ 'retry-after': stated })
    expect(await outcomesAt(answer)).toStrictEqual([limited(seconds), limited(seconds)])
  })

  test('of leases, which states no time, is one of a second', async () => {
    const answer = saying(429, 'request path "auth/jwt/login": lease count quota exceeded')
    expect(await outcomesAt(answer)).toStrictEqual([limited(1), limited(1)])
  })
})

describe('an error', () => {
  const error = (reason: string) =>
    ({ ok: false, error: { kind: 'secret_store_error', reason } }) as const

  test.each<[string, AnswerParts]>([
    ['a request', saying(413, 'http: request body too large')],
    ['a request, says a proxy', page(413)],
    [
      'an entry',
      saying(
        500,
        '1 error occurred:\n\t* put failed due to value being too large; got 1500156 bytes, max 1048576 bytes\n\n',
      ),
    ],
    ['a value, in Vault from 1.20', saying(500, 'JSON string value exceeds allowed length')],
  ])('%s is too large', async (_, answer) => {
    const outcome = error('takes no entry or request of this size')
    expect(await outcomesAt(answer)).toStrictEqual([outcome, outcome])
  })

  test('of the store', async () => {
    const answer = saying(500, '1 error occurred:\n\t* context canceled: canary-text\n\n')
    const outcome = error('answered with 500')
    expect(await outcomesAt(answer)).toStrictEqual([outcome, outcome])
  })

  test.each([401, 402, 409, 418, 422])('of an unexpected status: %i', async (status) => {
    const outcome = error(`answered with ${status}`)
    expect(await outcomesAt(saying(status))).toStrictEqual([outcome, outcome])
  })

  test.each([200, 400, 403, 404])('a page with %i is the answer of a proxy', async (status) => {
    const outcome = error(`answered with ${status} and a page`)
    expect(await outcomesAt(page(status))).toStrictEqual([outcome, outcome])
  })

  test.each<[number, AnswerParts]>([
    [404, { status: 404, json: { message: 'no Route matched with those values' } }],
    [404, plain(404)],
    [404, plain(404, '404 page not found')],
    [403, { status: 403, json: { message: 'forbidden' } }],
    [403, plain(403)],
    [400, { status: 400, json: { errors: 'text' } }],
    [400, { status: 400, json: { errors: [{ text: 'no' }] } }],
    [200, { json: [] }],
    [200, { body: '' }],
  ])('a refusal or success that is not of Vault: %i', async (status, answer) => {
    const outcome = error(`gave an answer (${status}) that is not as documented`)
    expect(await outcomesAt(answer)).toStrictEqual([outcome, outcome])
  })

  test('half a JSON is a cut-off answer', async () => {
    const outcome = error('an answer that is no whole JSON')
    const half = { body: '{"data":{"version"' }
    expect(await outcomesAt(half)).toStrictEqual([outcome, outcome])
  })

  test('an answer of more than a megabyte is not read', async () => {
    const answer = { json: { data: 'x'.repeat(1024 * 1024) } }
    const outcome = error('an answer of more than 1048576 bytes')
    expect(await outcomesAt(answer)).toStrictEqual([outcome, outcome])
  })
})
