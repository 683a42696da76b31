import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { MINUTE, T0, tokensOf, world } from './token-world.ts'

/** When tokens are renewed, by a clock that a test moves on. */
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Whatever can go on without the clock has gone on. */
const settled = async () => {
  for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
}

async function pass(at: Awaited<ReturnType<typeof world>>, milliseconds: number): Promise<void> {
  await settled()
  at.clock.at += milliseconds
  jest.advanceTimersByTime(milliseconds)
  await settled()
}

const RENEWED = { value: { accessToken: 'access-1' } }

test('a token is renewed when it has a minute to live, and not before', async () => {
  await using at = await world()
  const replica = at.replica()
  at.clock.at = T0 + 4 * MINUTE - 1
  await replica.current(at.session, 'accessToken')
  expect(at.provider.asked).toStrictEqual([])
  at.clock.at += 1
  expect(await replica.current(at.session, 'accessToken')).toMatchObject(RENEWED)
})

test('a replica that died while renewing is waited for fifteen seconds', async () => {
  await using at = await world()
  at.clock.at = T0 + 6 * MINUTE
  at.provider.pace = new Promise(() => {})
  void at.replica().current(at.session, 'accessToken')
  await settled()
  at.provider.pace = Promise.resolve()
  const other = at.replica().current(at.session, 'accessToken')
  for (const milliseconds of [100, 14_899]) {
    await pass(at, milliseconds)
    expect(at.provider.asked).toHaveLength(1)
  }
  await pass(at, 100)
  expect(await other).toMatchObject(RENEWED)
  expect(at.provider.asked).toHaveLength(2)
})

test('who failed to renew is not waited for', async () => {
  await using at = await world()
  at.clock.at = T0 + 6 * MINUTE
  const failure = err({ kind: 'identity_unreachable' } as const)
  at.provider.answer = failure
  expect(await at.replica().current(at.session, 'accessToken')).toStrictEqual(failure)
  at.provider.answer = undefined
  expect(await at.replica().current(at.session, 'accessToken')).toMatchObject(RENEWED)
})

test('what was tried of one session says nothing of another', async () => {
  await using at = await world()
  const { session: other } = await at.signIn({ ...tokensOf(0, T0), expiresAt: T0 + 6 * MINUTE })
  const replica = at.replica()
  at.provider.answer = err({ kind: 'identity_timeout' })
  at.clock.at = T0 + 5 * MINUTE
  await replica.current(at.session, 'accessToken')
  at.clock.at += 1_000
  await replica.current(other, 'accessToken')
  expect(at.provider.asked).toHaveLength(2)
  at.clock.at += 9_000
  await replica.current(at.session, 'accessToken')
  await replica.current(other, 'accessToken')
  expect(at.provider.asked).toHaveLength(3)
  at.clock.at += 1_000
  await replica.current(other, 'accessToken')
  expect(at.provider.asked).toHaveLength(4)
})

test.each([
  ['until it takes them', 3, 4],
  ['for as long as nobody else may renew', Number.POSITIVE_INFINITY, 31],
])('new tokens are offered to the store twice a second, %s', async (_, refusals, expected) => {
  await using at = await world()
  at.clock.at = T0 + 6 * MINUTE
  let [isMarked, offers] = [false, 0]
  const replica = at.replica({
    async reseal(...row) {
      if (isMarked && ++offers <= refusals) {
        return err({ kind: 'database_unavailable', reason: 'full' })
      }
      isMarked = true
      return at.store.reseal(...row)
    },
  })
  expect(await replica.current(at.session, 'accessToken')).toMatchObject(RENEWED)
  await pass(at, 499)
  expect(offers).toBe(1)
  await pass(at, 1)
  expect(offers).toBe(2)
  for (let halfSeconds = 0; halfSeconds < 40; halfSeconds++) await pass(at, 500)
  expect(offers).toBe(expected)
})
