import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../../text/json.ts'
import type { Keyring, SealedBytes } from '../../../crypto/keyring.ts'
import type { SecretPath } from '../../../names.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { SecretStoreFailure, SecretVersion } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { storeError } from './outcome.ts'

/** Contents of an entry at a version; `null` for a tombstone. */
export type Values = ReadonlyMap<string, string> | null

const Stored = Type.Object({
  format: Type.Literal(1),
  keyId: Type.String(),
  sealed: Type.String(),
})

/** Pairs, because a key may be `__proto__`. */
const Content = Type.Object({
  values: Nullable(Type.Array(Type.Tuple([Type.String(), Type.String()]))),
})

/** Binds a seal to its file: a file moved to another path or version does not open. */
const contextOf = (path: SecretPath, version: SecretVersion) => `secret-store/${path}/${version}`

export function sealVersion(
  keyring: Keyring,
  path: SecretPath,
  version: SecretVersion,
  values: Values,
): Uint8Array {
  const content = JSON.stringify({ values: values && [...values] })
  const { keyId, sealed } = keyring.seal(contextOf(path, version), encode(content))
  return encode(JSON.stringify({ format: 1, keyId, sealed: sealed.toBase64() }))
}

export function openVersion(
  keyring: Keyring,
  path: SecretPath,
  version: SecretVersion,
  bytes: Uint8Array,
): Result<Values, SecretStoreFailure> {
  const sealed = parseStored(bytes)
  if (sealed === undefined) return storeError('version_damaged')
  const content = keyring.open(contextOf(path, version), sealed)
  if (content === undefined) return err({ kind: 'secret_store_sealed' })
  const parsed = parseJson(decode(content))
  if (!Value.Check(Content, parsed)) return storeError('version_damaged')
  return ok(parsed.values && new Map(parsed.values))
}

/** Id of the key that sealed a version; `undefined` for damaged bytes. */
export const keyIdOf = (bytes: Uint8Array): string | undefined => parseStored(bytes)?.keyId

function parseStored(bytes: Uint8Array): SealedBytes | undefined {
  const stored = parseJson(decode(bytes))
  if (!Value.Check(Stored, stored)) return undefined
  try {
    const sealed = Uint8Array.fromBase64(stored.sealed, { lastChunkHandling: 'strict' })
    return { keyId: stored.keyId, sealed }
  } catch {
    return undefined
  }
}

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
