import { expect, test } from 'bun:test'
import { recheck } from '#src/lib/domain/access/sessions/recheck.ts'

const PAUSE_MS = 1

/** Checks whose answers a test gives. */
function world() {
  const bugs: unknown[] = []
  const told = { checks: 0, lost: 0 }
  let next = Promise.withResolvers<PromiseWithResolvers<boolean>>()
  const stop = recheck({
    everyMs: PAUSE_MS,
    isHeld() {
      told.checks += 1
      const answer = Promise.withResolvers<boolean>()
      next.resolve(answer)
      next = Promise.withResolvers()
      return answer.promise
    },
    onLost: () => (told.lost += 1),
    onBug: (bug) => bugs.push(bug),
  })
  return { bugs, told, stop, nextCheck: () => next.promise }
}

test('a right is checked again and again, and a bug is no answer', async () => {
  const { bugs, told, stop, nextCheck } = world()
  ;(await nextCheck()).resolve(true)
  ;(await nextCheck()).reject(new TypeError('a bug'))
  const last = await nextCheck()
  expect([told, bugs]).toStrictEqual([{ checks: 3, lost: 0 }, [new TypeError('a bug')]])
  const isLost = nextCheck()
  last.resolve(false)
  await Bun.sleep(5 * PAUSE_MS)
  expect(told).toStrictEqual({ checks: 3, lost: 1 })
  expect(Bun.peek.status(isLost)).toBe('pending')
  stop()
})

test('a check waits for the one before it, and after the end of the stream tells nothing', async () => {
  const { told, stop, nextCheck } = world()
  const check = await nextCheck()
  await Bun.sleep(5 * PAUSE_MS)
  expect(told).toStrictEqual({ checks: 1, lost: 0 })
  stop()
  check.resolve(false)
  await Bun.sleep(5 * PAUSE_MS)
  expect(told).toStrictEqual({ checks: 1, lost: 0 })
})
