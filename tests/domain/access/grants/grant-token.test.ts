import { expect, test } from 'bun:test'
import {
  familyIn,
  grantIdIn,
  grantIdOf,
  isGrantToken,
  newFamily,
  newGrantToken,
} from '#src/lib/domain/access/grants/grant-token.ts'

test('tokens differ, have their form, and a checksum that one changed character breaks', () => {
  const tokens = Array.from({ length: 500 }, () => newGrantToken('access'))
  expect(new Set(tokens).size).toBe(500)
  for (const token of tokens) {
    expect(token).toMatch(/^prt_[0-9A-Za-z]{49}$/)
    expect(isGrantToken('access', token)).toBeTrue()
    expect(isGrantToken('refresh', token)).toBeFalse()
    const changed = `${token.slice(0, 10)}${token[10] === 'x' ? 'y' : 'x'}${token.slice(11)}`
    expect(isGrantToken('access', changed)).toBeFalse()
  }
})

test('a refresh token leads to its grant, and its id leads to no token', () => {
  const family = newFamily()
  const token = newGrantToken('refresh', family)
  expect(token).toMatch(/^prr_[0-9A-Za-z]{49}$/)
  expect(familyIn(token)).toBe(family)
  expect(grantIdIn(token)).toBe(grantIdOf(family))
  expect(grantIdOf(family)).toMatch(/^[0-9a-f]{64}$/)
  expect(newGrantToken('refresh', family)).not.toBe(token)
})
