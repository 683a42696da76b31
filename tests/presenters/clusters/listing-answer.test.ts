import { expect, spyOn, test } from 'bun:test'
import { taggedJson } from '#src/lib/http/tagged-json.ts'
import { listingAnswer } from '#src/lib/presenters/clusters/listing-answer.ts'

test('a long list is made in pieces, with a turn for everybody else after each', async () => {
  let now = 0
  // Whoever looks at the clock has been at work for long.
  using _ = spyOn(performance, 'now').mockImplementation(() => (now += 10))
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const items = Array.from({ length: 5_000 }, (__, index) => ({ index }))
  const answer = await listingAnswer(new Request('http://x/'), { items, cursor: null })
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(Math.floor(5_000 / 64))
  expect(await answer.json()).toStrictEqual(items)
})

test.each([0, 1, 3, 64, 65, 129])('a list of %d items is one JSON array', async (count) => {
  const items = Array.from({ length: count }, (_, index) => ({ index, text: '"é😀' }))
  const answer = await listingAnswer(new Request('http://x/'), { items, cursor: null })
  const text = JSON.stringify(items)
  expect(await answer.text()).toBe(text)
  const etag = answer.headers.get('etag') ?? ''
  const whole = taggedJson(new Request('http://x/'), items)
  expect(whole.headers.get('etag')).toBe(etag)
  const again = new Request('http://x/', { headers: { 'if-none-match': etag } })
  expect((await listingAnswer(again, { items, cursor: null })).status).toBe(304)
})
