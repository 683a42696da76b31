import { expect, spyOn, test } from 'bun:test'
import { createTimeSlice, visitInSlices } from '#src/lib/concurrency/time-slice.ts'

test('a slice is two milliseconds, and the next begins after a turn for others', async () => {
  let now = 0
  using _ = spyOn(performance, 'now').mockImplementation(() => now)
  const pause = createTimeSlice()
  now = 1.9
  expect(pause()).toBeUndefined()
  now = 2
  const turn = pause()
  expect(turn).toBeInstanceOf(Promise)
  await turn
  now = 3.9
  expect(pause()).toBeUndefined()
})

test('small steps look at the clock after each 128', async () => {
  let steps = 0
  const seen: number[] = []
  const pause = () => {
    seen.push(steps)
    return undefined
  }
  await visitInSlices(Array(300).fill('step'), pause, () => steps++)
  expect([steps, seen]).toStrictEqual([300, [128, 256]])
})
