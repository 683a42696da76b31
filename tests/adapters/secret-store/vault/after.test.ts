import { expect, test } from 'bun:test'
import { afterTimer } from '#src/lib/adapters/secret-store/vault/login/after.ts'

test('a timer runs its work, unless it is cancelled', async () => {
  const runs: string[] = []
  const last = Promise.withResolvers<void>()
  const cancel = afterTimer(1, () => void runs.push('cancelled'))
  afterTimer(1, () => void runs.push('first'))
  afterTimer(2, last.resolve)
  cancel()
  await last.promise
  expect(runs).toStrictEqual(['first'])
})
