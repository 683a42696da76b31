import { expect, test } from 'bun:test'
import { cleanDescription, createMark, isPending } from '#src/lib/adapters/hosts/hosted/marker.ts'

const ORIGIN = 'https://portico.example.org'
const mark = createMark('run-1', ORIGIN)

test('a repository is recognised while it is made, and for good once it is complete', () => {
  const pending = { description: mark.pendingDescription, homepage: '' }
  const complete = { description: 'The shop', homepage: mark.homepage }
  expect(mark.creationOf(pending)).toBe('pending')
  expect(mark.creationOf(complete)).toBe('complete')
  expect(createMark('run-1', 'https://elsewhere.example').creationOf(complete)).toBe('complete')
  const other = createMark('run-2', ORIGIN)
  expect(other.creationOf(pending)).toBe('foreign')
  expect(other.creationOf(complete)).toBe('foreign')
  expect(mark.creationOf({ description: '', homepage: '' })).toBe('foreign')
  expect(isPending(pending)).toBe(true)
  expect(isPending(complete)).toBe(false)
})

test('the marks hold a digest, not the marker', () => {
  expect(mark.pendingDescription).toMatch(/^Being set up by Portico: [0-9a-f]{32}$/)
  expect(mark.homepage).toMatch(/^https:\/\/portico\.example\.org\/#repository-[0-9a-f]{32}$/)
  expect(mark.homepage.slice(-32)).toBe(mark.pendingDescription.slice(-32))
})

test.each([
  ['a\tb\r\nc', 'a b c'],
  ['  “x”  ', '“x”'],
  ['🚀'.repeat(400), '🚀'.repeat(350)],
])('a description %p is cleaned', (description, cleaned) => {
  expect(cleanDescription(description)).toBe(cleaned)
})

test('no description of a person hides the repository', () => {
  for (const description of [mark.pendingDescription, ` \n${mark.pendingDescription}`]) {
    expect(isPending({ description: cleanDescription(description) })).toBe(false)
  }
})
