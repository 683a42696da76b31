import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AnswerParts, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { openClient, READ, TOKEN, WRITE } from './open-client.ts'

const CANARY = 'canary-text'
const VALUE = 'canary-value'

const text = fc.constantFrom(
  CANARY,
  `check-and-set ${CANARY}`,
  `Vault is sealed: ${CANARY}`,
  `no active ${CANARY} instance found`,
  `put failed due to value being too large; got ${CANARY} ${VALUE} ${TOKEN}`,
  `failed to parse JSON input: invalid character in ${VALUE} with ${TOKEN}`,
)
const body = fc.oneof(
  text.map((text) => JSON.stringify({ errors: [text] })),
  text.map((text) => JSON.stringify({ data: { text }, warnings: [text] })),
  text.map((text) => JSON.stringify([text])),
  text.map((text) => `<html>${text}</html>`),
  text,
)
const header = fc.record({
  'content-type': fc.constantFrom('application/json', 'text/html', 'text/plain', CANARY),
  'retry-after': fc.constantFrom('60', `60 ${CANARY}`),
  location: fc.constantFrom(
    '',
    `/v1/${CANARY}`,
    `http://${CANARY}:8200/v1/${TOKEN}`,
    `http://${CANARY}:${TOKEN}@127.0.0.1/`,
    `http://[${CANARY}`,
  ),
})
const STATUSES = [
  200, 201, 204, 301, 307, 400, 401, 403, 404, 405, 409, 412, 413, 415, 418, 472, 473, 500, 501,
  502, 503, 504,
]
const status = fc.constantFrom(...STATUSES)
const answer: fc.Arbitrary<AnswerParts> = fc.record({ status, headers: header, body })
/** One answer in many hundreds, and a kind of failure of its own. */
const SEALED: AnswerParts = {
  status: 503,
  headers: { 'content-type': 'application/json', 'retry-after': '60', location: '' },
  body: JSON.stringify({ errors: [`Vault is sealed: ${CANARY}`] }),
}

test('no text of the store, token or value is in a failure or in the log', async () => {
  let bytes: Buffer = rawAnswer()
  let isCut = false
  using host = await startRawHost((socket) => {
    if (isCut) socket.end(bytes.subarray(0, -5))
    else socket.write(bytes)
  })
  const url = new URL(host.url)
  url.username = 'canary-user'
  const kinds = new Set<string>()
  await fc.assert(
    fc.asyncProperty(answer, fc.boolean(), fc.boolean(), async (parts, cut, isWrite) => {
      bytes = rawAnswer(parts)
      isCut = cut
      const { client, logged } = openClient(url.href)
      const outcome = await client.send(isWrite ? WRITE : READ)
      if (!outcome.ok) kinds.add(outcome.error.kind)
      const told = outcome.ok ? '' : JSON.stringify(outcome.error)
      const health = await client.health()
      expect(`${told}${logged.join()}${health.ok ? '' : JSON.stringify(health)}`).not.toContain(
        'canary',
      )
    }),
    { numRuns: 300, examples: [[SEALED, false, false]] },
  )
  expect(kinds.size).toBeGreaterThan(2)
})
