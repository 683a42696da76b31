import { describe, expect, test } from 'bun:test'
import { readDemoConfig } from '#src/demo/settings.ts'

const noFile = (path: string): string => {
  throw new Error(`nobody reads ${path}`)
}

describe('the settings of the demo', () => {
  test('are those of the service', () => {
    const read = readDemoConfig(
      { CATALOG_TTL_SECONDS: '7', CLAIMS_MAX_AGE_SECONDS: '60', METRICS_PORT: '9090' },
      noFile,
    )
    expect(read).toMatchObject({
      value: { CATALOG_TTL_SECONDS: 7, CLAIMS_MAX_AGE_SECONDS: 60, METRICS_PORT: 9090 },
    })
  })

  test('are not the address, the platform group and the keys', () => {
    const HOST = '0.0.0.0'
    const read = readDemoConfig({ HOST, PLATFORM_GROUP: 'others' }, noFile)
    expect(read).toMatchObject({ value: { HOST: '127.0.0.1', PLATFORM_GROUP: 'platform-team' } })
  })

  test('may come from a file where they are secret', () => {
    const read = readDemoConfig(
      { WEBHOOK_TOKEN_FILE: '/run/token' },
      (path) => `from-the-file-${path}`,
    )
    expect(read).toMatchObject({ value: { WEBHOOK_TOKEN: ['from-the-file-/run/token'] } })
  })
})
