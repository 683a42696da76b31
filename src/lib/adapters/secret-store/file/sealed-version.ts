import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Keyring } from '../../../crypto/keyring.ts'
import type {
  SecretVersionName,
  SecretVersionRow,
} from '../../../ports/database/secret-versions.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { parseJson } from '../../../text/json.ts'

/** Contents of an entry at a version; `null` for a tombstone. */
export type Values = ReadonlyMap<string, string> | null

/** Pairs, because a key may be `__proto__`. */
const Content = Type.Object({
  values: Nullable(Type.Array(Type.Tuple([Type.String(), Type.String()]))),
})

/** Binds a seal to its row: one moved to another path or version does not open. */
const contextOf = ({ path, version }: SecretVersionName) => `secret-store/${path}/${version}`

export function sealVersion(
  keyring: Keyring,
  name: SecretVersionName,
  values: Values,
): SecretVersionRow {
  const content = JSON.stringify({ values: values && [...values] })
  return { ...name, ...keyring.seal(contextOf(name), new TextEncoder().encode(content)) }
}

export function openVersion(
  keyring: Keyring,
  row: SecretVersionRow,
): Result<Values, SecretStoreFailure> {
  const damaged = err({ kind: 'secret_store_error', reason: 'version_damaged' } as const)
  if (row.keyId === '') return damaged
  const content = keyring.open(contextOf(row), row)
  if (content === undefined) return err({ kind: 'secret_store_sealed' })
  const parsed = parseJson(new TextDecoder().decode(content))
  return Value.Check(Content, parsed) ? ok(parsed.values && new Map(parsed.values)) : damaged
}
