import { describe, expect, jest, test } from 'bun:test'
import { type Answer, DISCOVERY, JWKS, openFakeIssuer, timeout, TOKEN } from './fake-issuer.ts'

/** Byte after byte, for ever. */
const trickle: Answer = () =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        await new Promise(setImmediate)
        controller.enqueue(' ')
      },
    }),
    { headers: { 'content-type': 'application/json' } },
  )

describe('the deadline of five seconds', () => {
  test.each([
    ['discovery hangs', DISCOVERY, undefined],
    ['discovery trickles', DISCOVERY, trickle],
    ['the token endpoint hangs', TOKEN, undefined],
    ['the token endpoint trickles', TOKEN, trickle],
    ['the keys hang', JWKS, undefined],
    ['the keys trickle', JWKS, trickle],
  ] as const)('holds when %s, and the next call is not held up', async (_, path, hang) => {
    await using at = await openFakeIssuer()
    expect(await at.late(path, () => at.refresh(), hang)).toStrictEqual(timeout)
    expect(await at.exchange()).toMatchObject({ ok: true })
  })

  test('is one for everything that a call waits for', async () => {
    await using at = await openFakeIssuer()
    const document = await fetch(`${at.issuer}${DISCOVERY}`).then((response) => response.json())
    const keys = Promise.withResolvers<void>()
    jest.useFakeTimers()
    try {
      at.answers[DISCOVERY] = () => {
        jest.advanceTimersByTime(3_000)
        return Response.json(document)
      }
      at.answers[JWKS] = () => {
        keys.resolve()
        return new Promise(() => {})
      }
      const refresh = at.refresh()
      await keys.promise
      jest.advanceTimersByTime(2_000)
      expect(await refresh).toStrictEqual(timeout)
    } finally {
      jest.useRealTimers()
    }
  })

  test('leaves no request behind at the token endpoint', async () => {
    await using at = await openFakeIssuer()
    const left = Promise.withResolvers<void>()
    const hang: Answer = (request) => {
      request.signal.addEventListener('abort', () => left.resolve())
      return new Promise(() => {})
    }
    expect(await at.late(TOKEN, () => at.refresh(), hang)).toStrictEqual(timeout)
    await left.promise
  })
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
