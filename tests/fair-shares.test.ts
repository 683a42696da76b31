import { expect, test } from 'bun:test'
import { fairShares } from '#src/lib/fair-shares.ts'

// prettier-ignore
test.each<[string, number[], number, number[]]>([
  ['everybody, when there is enough',       [3, 1, 2],          6,  [3, 1, 2]],
  ['the large one loses',                   [100, 1, 2],        10, [7, 1, 2]],
  ['two large ones lose alike',             [100, 1, 50],       11, [5, 1, 5]],
  ['the first of equals gets the rest',     [9, 9, 9],          10, [4, 3, 3]],
  ['endless demands',                       [Infinity, 2, Infinity], 10, [4, 2, 4]],
  ['equal demands',                         [4, 4, 4],          6,  [2, 2, 2]],
  ['less than one each: the first ones',    [5, 5, 5],          2,  [1, 1, 0]],
  ['nothing to share',                      [5, 1],             0,  [0, 0]],
  ['nobody',                                [],                 9,  []],
])('%s', (_, demands, capacity, shares) => {
  expect(fairShares(demands, capacity)).toStrictEqual(shares)
})
