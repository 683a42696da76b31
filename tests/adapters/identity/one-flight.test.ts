import { expect, test } from 'bun:test'
import { oneFlight } from '#src/lib/adapters/identity/oidc/one-flight.ts'

test('who comes after a flight was given up begins another, which others join', async () => {
  const loads: PromiseWithResolvers<string>[] = []
  const load = oneFlight(() => {
    const next = Promise.withResolvers<string>()
    loads.push(next)
    return next.promise
  })
  const first = new AbortController()
  const second = new AbortController()

  const given = load(first.signal)
  expect(load(second.signal)).toBe(given)
  first.abort()
  const taken = load(second.signal)
  expect(loads).toHaveLength(2)

  // The end of what was given up is not the end of what goes on.
  loads[0]?.reject(new Error('given up'))
  expect(await given.catch(() => 'failed')).toBe('failed')
  expect(load(second.signal)).toBe(taken)
  loads[1]?.resolve('found')
  expect(await taken).toBe('found')
  expect(loads).toHaveLength(2)
})
