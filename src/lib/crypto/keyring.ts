import { Buffer } from 'node:buffer'
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { err, ok, type Result } from '../result.ts'

/** Encrypts content that a store must not read: AES-256-GCM, with `context` as associated data (NIST SP 800-38D). */
export interface Keyring {
  /** Ids of the keys; the first one seals. */
  readonly ids: readonly [string, ...string[]]
  seal(context: string, content: Uint8Array): SealedBytes
  /** `undefined` for an unknown key, another context or a changed seal. */
  open(context: string, sealed: SealedBytes): Uint8Array | undefined
}

export interface SealedBytes {
  readonly keyId: string
  /** Initialisation vector, ciphertext, tag. */
  readonly sealed: Uint8Array
}

export interface KeysFailure {
  readonly kind: 'keys_invalid'
  /** Names an entry by its position, never its content. */
  readonly reason: string
}

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/
/** 32 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Reads `k2:base64,k1:base64`: the first key seals, all of them open. */
export function parseKeys(text: string): Result<Keyring, KeysFailure> {
  const keys = new Map<string, KeyObject>()
  for (const [index, entry] of text.split(',').entries()) {
    const invalid = (what: string) =>
      err({ kind: 'keys_invalid', reason: `entry ${index + 1}: ${what}` })
    const [id = '', key = '', ...rest] = entry.trim().split(':')
    if (!KEY_ID.test(id) || rest.length > 0)
      return invalid('must be id:key, the id of letters, digits, hyphens and underscores')
    if (!KEY.test(key)) return invalid('the key must be 32 bytes in base64')
    if (keys.has(id)) return invalid('its id is used twice')
    const bytes = Buffer.from(key, 'base64')
    if (bytes.every((byte) => byte === 0))
      return invalid('the key must be random, and is all zeros')
    keys.set(id, createSecretKey(bytes))
  }
  return ok(createKeyring(keys))
}

/** A keyring that also opens what another one sealed before it was there. */
export const alsoOpening = (keyring: Keyring, before: Keyring): Keyring => ({
  ...keyring,
  open: (context, sealed) => keyring.open(context, sealed) ?? before.open(context, sealed),
})

/** Whether two keyrings seal with the same key, whatever they call it. */
export function sealsLike(one: Keyring, other: Keyring): boolean {
  const { sealed } = one.seal('', new Uint8Array(1))
  const { keyId } = other.seal('', new Uint8Array(1))
  return other.open('', { keyId, sealed }) !== undefined
}

function createKeyring(keys: ReadonlyMap<string, KeyObject>): Keyring {
  const [first] = keys
  if (first === undefined) throw new Error('a keyring needs a key')
  const [sealingId, sealingKey] = first

  return {
    ids: [sealingId, ...[...keys.keys()].slice(1)],

    seal(context, content) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, sealingKey, iv, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const ciphertext = [cipher.update(content), cipher.final()]
      const sealed = Buffer.concat([iv, ...ciphertext, cipher.getAuthTag()])
      return { keyId: sealingId, sealed: new Uint8Array(sealed) }
    },

    open(context, { keyId, sealed }) {
      const key = keys.get(keyId)
      if (key === undefined || sealed.length < IV_BYTES + TAG_BYTES) return undefined
      const iv = sealed.subarray(0, IV_BYTES)
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const content = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES))
      try {
        return new Uint8Array(Buffer.concat([content, decipher.final()]))
      } catch {
        // `final` throws only when the tag does not match.
        return undefined
      }
    },
  }
}
