import { expect, test } from 'bun:test'

test('the chaos, which runs by hand, is a program that loads', async () => {
  const script = Bun.spawn(['bun', 'tests/load/chaos.ts'], { stdout: 'ignore', stderr: 'pipe' })
  expect(await script.stderr.text()).toContain('bun run test:chaos --minutes N, on a machine')
  expect(await script.exited).toBe(1)
})
