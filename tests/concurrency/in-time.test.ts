import { expect, test } from 'bun:test'
import { inTime } from '#src/lib/concurrency/in-time.ts'

test('work that has ended is never late', async () => {
  expect(await inTime(Promise.resolve('done'), 0, 'late')).toBe('done')
})

test('work without an end is late', async () => {
  expect(await inTime(new Promise<string>(() => {}), 0, 'late')).toBe('late')
})

test('a failure in time is a failure', async () => {
  const failed = inTime(Promise.reject(new Error('broken')), 1_000, 'late')
  expect(await failed.catch(String)).toBe('Error: broken')
})
