import { describe, expect, test } from 'bun:test'
import { docLink, docPicture, type DocPlace } from '#src/console/pages/entity/doc-links.ts'
import { decoded } from '#src/console/ui/relative-path.ts'

const PLACE: DocPlace = {
  address: { kind: 'component', name: 'ledger' },
  path: 'docs/run/book.md',
  fileUrl: 'https://git.example.org/acme/ledger/blob/main/docs/run/book.md',
}
const PICTURES = '/api/v1/catalog/entities/component/ledger/docs/'

describe('in a page of the documentation', () => {
  // prettier-ignore
  test.each([
    ['https://a.b/c',              'https://a.b/c'],
    ['https://a.b@c.d/',           undefined],
    ['javascript:alert(1)',        undefined],
    ['JaVaScRiPt:alert(1)',        undefined],
    ['java\tscript:alert(1)',      'https://git.example.org/acme/ledger/blob/main/docs/run/java%09script%3Aalert(1)'],
    ['data:text/html,a',           undefined],
    ['//a.b/c',                    'https://git.example.org/acme/ledger/blob/main/a.b/c'],
    ['../../../c',                 undefined],
    ['#%',                         '#readme-%'],
  ])('the link %j leads to %j', (href, expected) => {
    expect(docLink(href, PLACE)).toBe(expected)
  })

  // prettier-ignore
  test.each([
    ['../a.png',                   `${PICTURES}docs/a.png`],
    ['https://a.b/docs/a.png',     undefined],
    ['//a.b/docs/a.png',           undefined],
    ['data:image/png;base64,a',    undefined],
    ['../../a.png',                undefined],
    ['..%2f..%2fa.png',            undefined],
  ])('the picture %j is that at %j', (src, expected) => {
    expect(docPicture(src, PLACE)).toBe(expected)
  })
})

test('a percent sign that encodes nothing is one', () => {
  expect(['%C3%A9', '%', '%zz'].map(decoded)).toStrictEqual(['é', '%', '%zz'])
})
