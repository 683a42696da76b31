import { expect, test } from 'bun:test'
import { decodeUtf8, decodeUtf8Exactly } from '#src/lib/text/utf8.ts'

const MARK = [0xef, 0xbb, 0xbf]

// prettier-ignore
test.each([
  ['text',                           [0x41],                   'A',        'A'],
  ['nothing',                        [],                       '',         ''],
  ['several bytes of one character', [0xe2, 0x82, 0xac],       '€',        '€'],
  ['a mark before it',               [...MARK, 0x41],          'A',        '\uFEFFA'],
  ['a mark alone',                   MARK,                     '',         '\uFEFF'],
  ['a second mark',                  [...MARK, ...MARK, 0x41], '\uFEFFA',  '\uFEFF\uFEFFA'],
  ['half a character',               [0xe2, 0x82],             undefined,  undefined],
  ['half a mark',                    [0xef, 0xbb],             undefined,  undefined],
  ['a byte of no character',         [0x41, 0xff],             undefined,  undefined],
  ['half of a pair of surrogates',   [0xed, 0xa0, 0x80],       undefined,  undefined],
  ['a longer form than need be',     [0xc0, 0xaf],             undefined,  undefined],
] as const)('UTF-8: %s', (_, bytes, text, exact) => {
  // Once more after something broken: nothing of it is left over.
  for (const before of [[], [0xe2, 0x82], [0xff]]) {
    decodeUtf8(new Uint8Array(before))
    decodeUtf8Exactly(new Uint8Array(before))
    expect(decodeUtf8(new Uint8Array(bytes))).toBe(text)
    expect(decodeUtf8Exactly(new Uint8Array(bytes))).toBe(exact)
  }
})
