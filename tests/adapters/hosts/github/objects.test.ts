import { expect, test } from 'bun:test'
import { withTrailer } from '#src/lib/adapters/hosts/github/git/objects.ts'

const TRAILER = 'Co-authored-by: Ada <ada@example.com>'

test.each([
  ['Subject\n', `Subject\n\n${TRAILER}\n`],
  [
    'Subject\n\nA body: with a colon and more\nlines\n',
    `Subject\n\nA body: with a colon and more\nlines\n\n${TRAILER}\n`,
  ],
  [
    'Subject\n\nBody\n\nRun: 1\nReviewed-by: B <b@b>\n',
    `Subject\n\nBody\n\nRun: 1\nReviewed-by: B <b@b>\n${TRAILER}\n`,
  ],
  ['Topic: subject\n', `Topic: subject\n\n${TRAILER}\n`],
])('a trailer joins those of the message %p', (message, expected) => {
  expect(withTrailer(message, TRAILER)).toBe(expected)
})
