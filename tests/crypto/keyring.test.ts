import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { alsoOpening, type Keyring, parseKeys, sealsLike } from '#src/lib/crypto/keyring.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { valueOf } from '#tests/support/value-of.ts'

const KEY_1 = Buffer.alloc(32, 1).toString('base64')
const KEY_2 = Buffer.alloc(32, 2).toString('base64')

function keyring(text: string): Keyring {
  return valueOf(parseKeys(text))
}

const bytes = fc.uint8Array({ maxLength: 300 })

describe('a sealed content', () => {
  test('opens to what it was, for its row alone', () => {
    const ring = ephemeralKeyring()
    fc.assert(
      fc.property(bytes, fc.string(), fc.string(), (content, row, other) => {
        fc.pre(row !== other)
        const sealed = ring.seal(row, content)
        expect(ring.open(row, sealed)).toStrictEqual(new Uint8Array(content))
        expect(ring.open(other, sealed)).toBeUndefined()
      }),
    )
  })

  test('with any bit changed does not open', () => {
    const ring = ephemeralKeyring()
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (content, at, mask) => {
        const { keyId, sealed } = ring.seal('row', content)
        const index = at % sealed.length
        const changed = sealed.with(index, (sealed[index] ?? 0) ^ mask)
        expect(ring.open('row', { keyId, sealed: changed })).toBeUndefined()
      }),
    )
  })

  test('cut short at any length does not open', () => {
    const ring = ephemeralKeyring()
    const { keyId, sealed } = ring.seal('row', new Uint8Array(20))
    for (let length = 0; length < sealed.length; length += 1) {
      expect(ring.open('row', { keyId, sealed: sealed.subarray(0, length) })).toBeUndefined()
    }
  })

  test('is another one each time', () => {
    const ring = ephemeralKeyring()
    const seals = Array.from({ length: 200 }, () => ring.seal('row', new Uint8Array(4)).sealed)
    expect(new Set(seals.map((sealed) => sealed.subarray(0, 12).toHex())).size).toBe(200)
  })

  test('does not show what it holds', () => {
    const { sealed } = ephemeralKeyring().seal('row', new TextEncoder().encode('a refresh token'))
    expect(new TextDecoder('latin1').decode(sealed)).not.toContain('refresh')
  })
})

describe('rotation', () => {
  const before = keyring(`k1:${KEY_1}`)
  const during = keyring(`k2:${KEY_2},k1:${KEY_1}`)
  const after = keyring(`k2:${KEY_2}`)
  const content = new Uint8Array([1, 2, 3])

  test('the first key seals, and every key opens', () => {
    expect(before.seal('row', content).keyId).toBe('k1')
    expect(during.seal('row', content).keyId).toBe('k2')
    expect(during.open('row', before.seal('row', content))).toStrictEqual(content)
    expect(after.open('row', during.seal('row', content))).toStrictEqual(content)
  })

  test('a withdrawn key opens nothing, nor does another key under its name', () => {
    expect(after.open('row', before.seal('row', content))).toBeUndefined()
    expect(keyring(`k1:${KEY_2}`).open('row', before.seal('row', content))).toBeUndefined()
  })

  test('two ephemeral keyrings do not open each other', () => {
    expect(ephemeralKeyring().open('row', ephemeralKeyring().seal('row', content))).toBeUndefined()
  })
})

test('keyrings that seal with the same key are recognised, whatever its id', () => {
  const one = keyring(`k1:${KEY_1}`)
  expect(sealsLike(one, keyring(`other:${KEY_1},k2:${KEY_2}`))).toBe(true)
  expect(sealsLike(one, keyring(`k1:${KEY_2},old:${KEY_1}`))).toBe(false)
})

describe('parseKeys', () => {
  test('white space around an entry is allowed', () => {
    expect(parseKeys(` k2:${KEY_2} ,\n k1:${KEY_1} `).ok).toBe(true)
  })

  // prettier-ignore
  test.each([
    ['nothing',                '',                                                      'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['a key without an id',    KEY_1,                                                   'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['an empty id',            `:${KEY_1}`,                                             'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['an id with a space',     `k 1:${KEY_1}`,                                          'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['an id of 33 characters', `${'k'.repeat(33)}:${KEY_1}`,                            'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['a third part',           `k1:${KEY_1}:x`,                                         'entry 1: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['a comma at the end',     `k1:${KEY_1},`,                                          'entry 2: must be id:key, the id of letters, digits, hyphens and underscores'],
    ['31 bytes',               `k1:${Buffer.alloc(31).toString('base64')}`,             'entry 1: the key must be 32 bytes in base64'],
    ['33 bytes',               `k1:${Buffer.alloc(33).toString('base64')}`,             'entry 1: the key must be 32 bytes in base64'],
    ['hex',                    `k1:${Buffer.alloc(32).toString('hex')}`,                'entry 1: the key must be 32 bytes in base64'],
    ['zeros',                  `k1:${Buffer.alloc(32).toString('base64')}`,             'entry 1: the key must be random, and is all zeros'],
    ['an id twice',            `k1:${KEY_1},k1:${KEY_2}`,                               'entry 2: its id is used twice'],
  ])('refuses %s', (_, text, reason) => {
    expect(parseKeys(text)).toStrictEqual({ ok: false, error: { kind: 'keys_invalid', reason } })
  })

  test('never repeats what it refuses', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (text) => {
        const parsed = parseKeys(`k1:${text}`)
        expect(JSON.stringify(parsed)).not.toContain(JSON.stringify(text).slice(1, -1))
      }),
    )
  })
})

test('a keyring of its own opens what another one sealed in its place, and seals with its own key', () => {
  const [before, own] = [keyring(`k1:${KEY_1}`), keyring(`k1:${KEY_2}`)]
  const both = alsoOpening(own, before)
  const content = new Uint8Array([1, 2, 3])
  expect(both.open('x', before.seal('x', content))).toStrictEqual(content)
  expect(both.open('x', both.seal('x', content))).toStrictEqual(content)
  expect(own.open('x', both.seal('x', content))).toStrictEqual(content)
  expect(both.open('y', before.seal('x', content))).toBeUndefined()
})
