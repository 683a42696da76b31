import { expect, test } from 'bun:test'
import { networkSettings } from '#src/lib/git/git-config.ts'

/** `git config uploadpack.keepAlive`: an empty packet of 5 bytes, every 5 s by default. */
const KEPT_ALIVE_BYTES_PER_SECOND = 1

test('a host that counts objects for a minute is not too slow', () => {
  const environment: Readonly<Record<string, string>> = networkSettings(null, null)
  const valueOf = (key: string): number => {
    const [name] = Object.entries(environment).find(([, value]) => value === key) ?? []
    return Number(environment[name?.replace('_KEY_', '_VALUE_') ?? ''])
  }
  expect(valueOf('http.lowSpeedLimit')).toBeLessThanOrEqual(KEPT_ALIVE_BYTES_PER_SECOND)
  // Curl takes shorter spans than five seconds for none.
  expect(valueOf('http.lowSpeedTime')).toBeGreaterThanOrEqual(60)
})
