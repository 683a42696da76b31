import { expect, test } from 'bun:test'
import { nameSuffix, templateHash } from '#src/demo/clusters/control/hash.ts'

test('equal templates have one hash, in whatever order their members are', () => {
  const hash = templateHash({ a: 1, b: { c: [1, 2], d: null } })
  expect(templateHash({ b: { d: null, c: [1, 2] }, a: 1 })).toBe(hash)
  const others = [
    { a: 1, b: { c: [2, 1], d: null } },
    { a: 2, b: { c: [1, 2], d: null } },
    {},
    { z: hash },
  ]
  expect(new Set([...others.map(templateHash), hash]).size).toBe(5)
})

test('the hash is FNV-1a, in the letters of Kubernetes', () => {
  // Of `"a"`, with its quotes.
  expect(templateHash('a')).toBe(
    Array.from(
      String(0x61_a1_cf_ea),
      (digit) => 'bcdfghjklmnpqrstvwxz2456789'[digit.charCodeAt(0) % 27],
    ).join(''),
  )
})

test('suffixes are of five letters, and seldom alike', () => {
  const suffixes = Array.from({ length: 1_000 }, (_, seed) => nameSuffix(`web/${seed}`))
  expect(suffixes.every((suffix) => /^[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(suffix))).toBe(true)
  expect(new Set(suffixes).size).toBeGreaterThan(995)
  for (let place = 0; place < 5; place++) {
    expect(new Set(suffixes.map((suffix) => suffix[place])).size).toBe(27)
  }
})
