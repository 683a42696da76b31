import { expect, test } from 'bun:test'

test('the rolling update, which runs by hand, is a program that loads', async () => {
  const script = Bun.spawn(['bun', 'tests/load/rolling-update.ts'], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  expect(await script.stderr.text()).toContain(
    'bun tests/load/rolling-update.ts OLD NEW, on a machine',
  )
  expect(await script.exited).toBe(1)
})
