import { expect, test } from 'bun:test'
import { beginningOf } from '#src/lib/domain/promotion/beginning.ts'
import { ObjectId } from '#src/lib/names.ts'

const id = (digit: string) => ObjectId.of(digit.repeat(40))
const commit = (own: string, ...parents: readonly string[]) => ({
  id: id(own),
  parents: parents.map(id),
})

// prettier-ignore
test.each([
  ['nothing of its own',                      [],                                                        'c'],
  ['commits in a row',                        [commit('c', 'b'), commit('b', 'a')],                      'a'],
  ['the default branch merged into it',       [commit('c', 'b', 'd'), commit('b', 'a')],                 'd'],
  ['a commit after such a merge',             [commit('c', 'b'), commit('b', 'a', 'd'), commit('a', 'e')], 'd'],
  ['a root that the default branch has not',  [commit('c')],                                             undefined],
  ['more commits than were listed',           [commit('c', 'b'), commit('b', 'a'), commit('a', 'd')],    undefined],
])('a branch with %s', (_, own, expected) => {
  expect(beginningOf(id('c'), own, own.length === 3 && expected === undefined ? 3 : 100)).toBe(
    expected === undefined ? undefined : id(expected),
  )
})
