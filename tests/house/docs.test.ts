import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { readPage } from '#tests/support/docs-page.ts'

const PAGE_BYTES_MAX = 12_000
const pages = (await readdir('docs')).filter((name) => name.endsWith('.md')).toSorted()

test.each(pages)('the page %s is read in one go, and leads to places that exist', async (name) => {
  const page = await readPage(name)
  expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(PAGE_BYTES_MAX)
  expect((await page.links()).broken).toStrictEqual([])
})

test('the README leads to every page, in an order', async () => {
  const readme = await Bun.file('README.md').text()
  const named = [...readme.matchAll(/\]\(docs\/([a-z-]+\.md)\)/g)].map(([, name = '']) => name)
  expect([...new Set(named)].toSorted()).toStrictEqual(pages)
  const order = [...readme.matchAll(/^\| \*\*(\w+)\*\* \|/gm)].map(([, word]) => word)
  expect(order).toStrictEqual(['start', 'connect', 'run', 'write', 'reference'])
})
