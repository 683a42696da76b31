import { expect, test } from 'bun:test'
import { readAllPages } from '#src/lib/domain/clusters/all-pages.ts'
import { ok } from '#src/lib/result.ts'

/** A list that has so many pages of one item each. */
async function readList(pages: number, pagesMax?: number) {
  const asked: (string | null)[] = []
  const read = await readAllPages(async ({ after }) => {
    asked.push(after)
    const next = asked.length < pages ? String(asked.length) : null
    return ok({ items: [asked.length], bytes: 1, next, resourceVersion: `v${asked.length}` })
  }, pagesMax)
  return { asked, read }
}

test.each([
  { pages: 1, max: undefined, read: 1, isComplete: true },
  { pages: 20, max: undefined, read: 20, isComplete: true },
  { pages: 21, max: undefined, read: 20, isComplete: false },
  { pages: 50, max: 50, read: 50, isComplete: true },
  { pages: 51, max: 50, read: 50, isComplete: false },
])('of $pages pages, $max at most, $read are read', async ({ pages, max, read, isComplete }) => {
  const list = await readList(pages, max)
  expect(list.asked.length).toBe(read)
  expect(list.read).toMatchObject({ ok: true, value: { isComplete, resourceVersion: 'v1' } })
})
