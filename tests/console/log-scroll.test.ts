import { expect, test } from 'bun:test'
import { followsEnd } from '#src/console/ui/log-scroll.ts'

const at = (scrollTop: number, scrollHeight = 1_000) => ({
  scrollTop,
  scrollHeight,
  clientHeight: 400,
})

test.each([
  ['it is scrolled up', true, 600, at(300), false],
  ['it is scrolled up by less than a line', true, 600, at(580), true],
  ['lines that are higher than guessed are drawn', true, 580, at(600, 1_400), true],
  ['lines are dropped above', true, 600, at(200, 600), true],
  ['it is scrolled down, not to the end', false, 100, at(300), false],
  ['it is scrolled to the end', false, 100, at(600), true],
] as const)('when %s', (_, didFollow, before, now, follows) => {
  expect(followsEnd(didFollow, before, now)).toBe(follows)
})
