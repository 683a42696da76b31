import { describe, expect, test } from 'bun:test'
import { docLink, docPicture } from '#src/console/pages/entity/doc-links.ts'

const place = {
  address: { kind: 'component', name: 'ledger' },
  path: 'docs/guides/a b.md',
  fileUrl: 'https://git.example/acme/ledger/blob/1a2b/docs/guides/a%20b.md',
}
const PAGES = '/entities/component/ledger/docs'

// prettier-ignore
describe('a link of a page', () => {
  test.each([
    ['https://example.org/a', 'https://example.org/a'],
    ['#usage',                '#readme-usage'],
    ['b.md',                  `${PAGES}?page=docs%2Fguides%2Fb.md`],
    ['../setup.md#steps',     `${PAGES}?page=docs%2Fsetup.md#readme-steps`],
    ['../../README.md',       PAGES],
    ['/README.md',            PAGES],
    ['../../src/main.ts#L3',  'https://git.example/acme/ledger/blob/1a2b/src/main.ts#L3'],
    ['b%20c.txt',             'https://git.example/acme/ledger/blob/1a2b/docs/guides/b%20c.txt'],
    ['../../../other/x',      undefined],
    ['%2e%2e/%2e%2e/%2e%2e/x', undefined],
    ['javascript:alert(1)',   undefined],
    ['mailto:a@example.org',  undefined],
    ['https://user@evil.example/', undefined],
    ['//evil.example/x',      'https://git.example/acme/ledger/blob/1a2b/evil.example/x'],
    ['',                      undefined],
    [`b.md?${'x'.repeat(2_000)}`, undefined],
  ])('%j leads to %j', (href, target) => {
    expect(docLink(href, place)).toBe(target)
  })

  test('to a file leads nowhere while its git host is not known', () => {
    expect(docLink('main.ts', { ...place, fileUrl: null })).toBeUndefined()
  })
})

// prettier-ignore
test.each([
  ['c.png',                   '/api/v1/catalog/entities/component/ledger/docs/docs/guides/c.png'],
  ['../d.svg',                '/api/v1/catalog/entities/component/ledger/docs/docs/d.svg'],
  ['../../logo.png',          undefined],
  ['https://evil.example/x.png', undefined],
  ['data:image/png;base64,x', undefined],
  ['a.md',                    undefined],
])('the picture %j is %j', (src, address) => {
  expect(docPicture(src, place)).toBe(address)
})
