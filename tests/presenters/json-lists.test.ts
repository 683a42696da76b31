import { expect, test } from 'bun:test'
import { createDigest, TAG_LENGTH } from '#src/lib/http/tagged-json.ts'
import { createJsonLists } from '#src/lib/presenters/json-lists.ts'
import { VERSION } from '#src/version.ts'

test('the tag of a list is of the version that made it', () => {
  const lists = createJsonLists<string>({ contentOf: (state) => state, tagOf: (state) => state })
  const page = { items: [], isPart: false, total: 0, link: null, query: 'kind=api' }
  const tagOf = (...parts: readonly string[]) =>
    `W/"${createDigest().update(parts.join('\n')).digest('hex').slice(0, TAG_LENGTH)}"`
  const { etag } = lists.add('tree', page)
  expect(etag).toBe(tagOf(VERSION, 'tree', 'kind=api'))
  expect(etag).not.toBe(tagOf('0.0.0', 'tree', 'kind=api'))
})
