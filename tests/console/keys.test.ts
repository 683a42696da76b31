import { describe, expect, test } from 'bun:test'
import { KEYS, NOTHING_BEGUN, nextRow, press, SEQUENCE_MS } from '#src/console/shell/keys.ts'

/** Acts of keys that are pressed at these times. */
function typed(...keys: readonly (readonly [key: string, at: number])[]) {
  let begun = NOTHING_BEGUN
  return keys.flatMap(([key, at]) => {
    const pressed = press(begun, key, at)
    begun = pressed.begun
    return pressed.act === undefined ? [] : [pressed.act]
  })
}

const CLUSTERS = { kind: 'go', path: '/clusters' } as const
const PREVIOUS = { kind: 'previous_row' } as const

describe('keys', () => {
  test('act alone', () => {
    expect(typed(['/', 0], ['?', 1], ['j', 2])).toStrictEqual([
      { kind: 'search' },
      { kind: 'keys' },
      { kind: 'next_row' },
    ])
  })

  test('act in sequence, in which they mean something else than alone', () => {
    expect(typed(['g', 0], ['k', SEQUENCE_MS])).toStrictEqual([CLUSTERS])
    expect(typed(['k', 0])).toStrictEqual([PREVIOUS])
  })

  test('that come late are alone', () => {
    expect(typed(['g', 0], ['k', SEQUENCE_MS + 1])).toStrictEqual([PREVIOUS])
  })

  test('that do not go on with a sequence begin anew', () => {
    expect(typed(['g', 0], ['/', 1])).toStrictEqual([{ kind: 'search' }])
    expect(typed(['g', 0], ['g', 1], ['k', 2])).toStrictEqual([CLUSTERS])
    expect(typed(['g', 0], ['x', 1], ['k', 2])).toStrictEqual([PREVIOUS])
  })

  test('without a meaning do nothing', () => {
    expect(typed(['x', 0], ['Shift', 1])).toStrictEqual([])
  })

  test('are all reached: none is the beginning of another', () => {
    for (const { keys, act } of KEYS) {
      expect(typed(...keys.map((key) => [key, 0] as const))).toStrictEqual([act])
    }
  })
})

test.each([
  [-1, 3, 1, 0],
  [-1, 3, -1, 0],
  [0, 3, 1, 1],
  [2, 3, 1, 2],
  [2, 3, -1, 1],
  [0, 3, -1, 0],
] as const)('row %p of %p and %p is row %p', (present, count, step, next) => {
  expect(nextRow(present, count, step)).toBe(next)
})
