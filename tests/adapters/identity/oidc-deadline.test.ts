import { describe, expect, jest, test } from 'bun:test'
import { type Answer, DISCOVERY, JWKS, openFakeIssuer, timeout, TOKEN } from './fake-issuer.ts'

const never: Answer = () => new Promise(() => {})
const after =
  (milliseconds: number, answer: Answer): Answer =>
  async (request) => {
    await Bun.sleep(milliseconds)
    return answer(request)
  }
/** A byte now and then, for ever. */
const trickle: Answer = () =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(10)
        controller.enqueue(' ')
      },
    }),
    { headers: { 'content-type': 'application/json' } },
  )

async function took(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

describe('the deadline', () => {
  const DEADLINE_MS = 500

  test.each([
    ['discovery hangs', DISCOVERY, never],
    ['discovery trickles', DISCOVERY, trickle],
    ['the token endpoint hangs', TOKEN, never],
    ['the token endpoint trickles', TOKEN, trickle],
    ['the keys hang', JWKS, never],
    ['the keys trickle', JWKS, trickle],
  ] as const)('holds when %s, and the next call is not held up', async (_, path, answer) => {
    await using at = await openFakeIssuer({ deadlineMs: DEADLINE_MS })
    at.answers[path] = answer
    const outcomes: unknown[] = []
    const ms = await took(async () => outcomes.push(await at.refresh()))
    expect(outcomes).toStrictEqual([timeout])
    expect(ms).toBeWithin(DEADLINE_MS - 5, 4 * DEADLINE_MS)
    at.answers[path] = undefined
    expect(await at.exchange()).toMatchObject({ ok: true })
  })

  test('is one for everything that a call waits for', async () => {
    await using at = await openFakeIssuer({ deadlineMs: 900 })
    const document = await fetch(`${at.issuer}${DISCOVERY}`).then((response) => response.json())
    at.answers[DISCOVERY] = after(600, () => Response.json(document))
    at.answers[JWKS] = never
    const ms = await took(() => at.refresh())
    expect(ms).toBeWithin(895, 1_450)
  })

  test('leaves no request behind at the token endpoint', async () => {
    await using at = await openFakeIssuer({ deadlineMs: DEADLINE_MS })
    const left = Promise.withResolvers<void>()
    at.answers[TOKEN] = (request) => {
      request.signal.addEventListener('abort', () => left.resolve())
      return new Promise(() => {})
    }
    expect(await at.refresh()).toStrictEqual(timeout)
    await left.promise
  })
})

test('the deadline is five seconds when nobody says otherwise', async () => {
  await using at = await openFakeIssuer()
  const asked = Promise.withResolvers<void>()
  at.answers[TOKEN] = () => {
    asked.resolve()
    return new Promise(() => {})
  }
  jest.useFakeTimers()
  try {
    let outcome: unknown
    const refresh = at.refresh().then((refreshed) => (outcome = refreshed))
    await asked.promise
    jest.advanceTimersByTime(4_999)
    // Long enough for whatever has ended to be told.
    await fetch(at.issuer)
    expect(outcome).toBeUndefined()
    jest.advanceTimersByTime(1)
    expect(await refresh).toStrictEqual(timeout)
  } finally {
    jest.useRealTimers()
  }
})

test('a call that was answered leaves no timer', async () => {
  await using at = await openFakeIssuer()
  await at.refresh()
  jest.useFakeTimers()
  try {
    expect(await at.refresh()).toMatchObject({ ok: true })
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})
