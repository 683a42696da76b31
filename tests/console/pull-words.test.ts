import { expect, test } from 'bun:test'
import { isStuck, pullWords } from '#src/console/ui/pull-words.ts'

const unknown = {
  checks: null,
  review: null,
  draft: null,
  queued: null,
  mergeable: 'unknown',
} as const

// prettier-ignore
test.each([
  [{}, [], false],
  [{ mergeable: 'clean' }, ['can be merged'], false],
  [{ mergeable: 'clean', checks: 'passing', review: 'none', draft: false, queued: false }, ['can be merged'], false],
  [{ mergeable: 'clean', review: 'required' }, ['waits for a review'], false],
  [{ mergeable: 'clean', review: 'approved', queued: true }, ['in the merge queue', 'approved'], false],
  [{ draft: true, checks: 'pending' }, ['draft', 'checks run'], false],
  [{ checks: 'failing', review: 'approved' }, ['checks fail', 'approved'], true],
  [{ review: 'changes_requested' }, ['changes requested'], true],
  [{ mergeable: 'conflicting', review: 'required' }, ['has conflicts', 'waits for a review'], true],
] as const)('%j: %j', (said, words, stuck) => {
  const facts = { ...unknown, ...said }
  expect([pullWords(facts), isStuck(facts)]).toStrictEqual([words, stuck])
})
