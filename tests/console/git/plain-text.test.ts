import { describe, expect, test } from 'bun:test'
import { plainText } from '#src/console/git/parts.ts'

describe('plainText', () => {
  test.each([
    ['tab\tand\nline', 'tab\tand\nline'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['\u0000\u001b[0m', '\\u{0}\\u{1b}[0m'],
    ['a\rb', 'a\\u{d}b'],
    ['\u{e0041}', '\\u{e0041}'],
    ['Zoë → 日本', 'Zoë → 日本'],
  ])('shows what is invisible: %j becomes %j', (text, shown) => {
    expect(plainText(text)).toBe(shown)
  })
})
