import { expect, test } from 'bun:test'
import { proposalIn } from '#src/console/git/new-pull.ts'

const titled = (title: string) =>
  proposalIn(new URLSearchParams({ head: 'change', base: 'main', title, body: '' }))

test('a title is one line, as reviewers read it', () => {
  expect(titled(' Add a thing: ä, 漢字, 🚀 ')).toMatchObject({
    value: { title: 'Add a thing: ä, 漢字, 🚀' },
  })
  const spoilt = [
    '',
    'a\nb',
    'a\rb',
    'a\u0000b',
    'a\u001b[31mb',
    'a\u202eb',
    'a\u2066b',
    'a\u2028b',
  ]
  for (const title of [...spoilt, 'x'.repeat(201)]) {
    expect(titled(title)).toMatchObject({
      error: { kind: 'validation_failed', errors: [{ path: '/title', rule: 'one_line' }] },
    })
  }
})
