import { afterAll, expect, test } from 'bun:test'
import { component, openPortal, TEMPLATES } from '#tests/support/portal.ts'

const PROBLEMS = '/api/v1/catalog/problems'
const paths = async (response: Response) =>
  ((await response.json()) as { path: string }[]).map(({ path }) => path)

/** 12 files with 20 problems each, and a broken template. */
async function open() {
  const broken = Array.from({ length: 25 }, () => '---\n- 1\n').join('')
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`catalog/b${10 + index}.yaml`, broken]),
  )
  const portal = await openPortal({ files: { ...files, 'catalog/good.yaml': component('good') } })
  await portal.commit({ 'templates/bad/template.yaml': 'a: [' }, TEMPLATES)
  return portal
}

const portal = await open()
afterAll(() => portal[Symbol.asyncDispose]())

test('the list comes in pages of a hundred, each with a link to the next and the total', async () => {
  const seen: string[] = []
  let next: string | undefined = PROBLEMS
  const lengths: number[] = []
  while (next !== undefined) {
    const page = await portal.request(next, { as: 'dev' })
    expect([page.status, page.headers.get('x-total-count')]).toStrictEqual([200, '241'])
    const found = await paths(page)
    lengths.push(found.length)
    seen.push(...found)
    next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(lengths).toStrictEqual([100, 100, 41])
  expect(seen).toStrictEqual(seen.toSorted())
  expect(seen.at(-1)).toBe('templates/bad/template.yaml')
})

test.each<[string, number, number]>([
  ['limit=1', 1, 241],
  ['limit=1000', 241, 241],
  ['limit=5&offset=238', 3, 241],
  ['offset=240', 1, 241],
  ['offset=241', 0, 241],
])('a page of its own: %s', async (query, length, total) => {
  const page = await portal.request(`${PROBLEMS}?${query}`, { as: 'dev' })
  expect(await paths(page)).toHaveLength(length)
  expect(page.headers.get('x-total-count')).toBe(String(total))
})

test.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=10000001', 'limit=1&limit=2'])(
  'a page that is none: %s',
  async (query) => {
    expect((await portal.request(`${PROBLEMS}?${query}`, { as: 'dev' })).status).toBe(422)
  },
)
