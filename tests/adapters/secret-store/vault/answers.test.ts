import { expect, test } from 'bun:test'
import { readSubkeys, readVersion } from '#src/lib/adapters/secret-store/vault/answers.ts'

/** `JSON.parse` rounds what a number cannot hold, and a rounded version would be the next one too. */
test.each(['9007199254740991', '9007199254740993', '1e300', '0', '-1', '1.5', '"1"'])(
  'a version that nobody can count on from is none: %s',
  (version) => {
    const json: unknown = JSON.parse(
      `{"data":{"version":${version},"metadata":{"version":${version}},"subkeys":{}}}`,
    )
    expect(readVersion({ json })).toBeUndefined()
    expect(readSubkeys({ json })).toBeUndefined()
  },
)
