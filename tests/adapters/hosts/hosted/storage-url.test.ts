import { expect, test } from 'bun:test'
import { mayBeStorage } from '#src/lib/adapters/hosts/hosted/api/asset.ts'

test.each([
  ['https://api.github.com', 'https://objects.githubusercontent.com/a', true],
  ['https://api.github.com', 'http://objects.githubusercontent.com/a', false],
  ['https://api.github.com', 'https://169.254.169.254/a', false],
  ['https://api.github.com', 'https://[fd00::1]/a', false],
  ['https://api.github.com', 'https://vault:8200/a', false],
  ['https://api.github.com', 'https://localhost/a', false],
  ['https://api.github.com', 'https://127.0.0.1/a', false],
  ['http://127.0.0.1:1', 'http://localhost:2/a', true],
  ['http://127.0.0.1:1', 'https://127.0.0.1:2/a', true],
  ['https://127.0.0.1:1', 'http://127.0.0.1:2/a', false],
  ['http://127.0.0.1:1', 'http://10.0.0.1/a', false],
])('%s may lead to %s: %p', (api, to, may) => {
  expect(mayBeStorage(new URL(api), new URL(to))).toBe(may)
})
