import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { pageOf, PATHS, pathOf, searchOf } from '#src/console/paths.ts'

describe('addresses of pages', () => {
  test.each([
    ['/', { page: 'home', parameters: {} }],
    ['/catalog', { page: 'catalog', parameters: {} }],
    [
      '/entities/component/payments-api',
      { page: 'entity', parameters: { kind: 'component', name: 'payments-api' } },
    ],
    ['/entities/group/payments', { page: 'group', parameters: { name: 'payments' } }],
    ['/new', { page: 'templates', parameters: {} }],
    ['/new/go-service', { page: 'newProject', parameters: { template: 'go-service' } }],
    [
      '/clusters/dev-east/payments-dev',
      { page: 'namespace', parameters: { cluster: 'dev-east', namespace: 'payments-dev' } },
    ],
    [
      '/clusters/dev-east/payments-dev/pods/api-1',
      {
        page: 'pod',
        parameters: { cluster: 'dev-east', namespace: 'payments-dev', pod: 'api-1' },
      },
    ],
  ] as const)('%s is a page', (path, page) => {
    expect(pageOf(path)).toStrictEqual(page)
  })

  test.each(['/entities', '/entities/component', '/new/', '/clusters//x', '/docs', '/api/v1', ''])(
    '%s is no page',
    (path) => {
      expect(pageOf(path)).toBeUndefined()
    },
  )

  test('a broken percent-encoding is no page', () => {
    expect(pageOf('/new/%E0%A4%A')).toBeUndefined()
  })

  test('every name comes back from its address', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(name, name, (kind, entity) => {
        const { pathname } = new URL(pathOf('entity', { kind, name: entity }), 'http://portico')
        // The URL standard resolves these two, so that they cannot be names in a path.
        fc.pre(!['.', '..'].includes(kind) && !['.', '..'].includes(entity))
        expect(pageOf(pathname)).toStrictEqual({
          page: 'entity',
          parameters: { kind, name: entity },
        })
      }),
    )
  })

  test('no page hides another', () => {
    for (const [page, path] of Object.entries(PATHS)) {
      expect(pageOf(path.replaceAll(/:[a-z]+/g, 'x'))?.page).toBe(page as keyof typeof PATHS)
    }
  })
})

describe('the query of an address', () => {
  test.each([
    [{}, ''],
    [{ q: '' }, ''],
    [{ q: undefined, kind: 'api' }, '?kind=api'],
    [{ owner: 'payments,shipping' }, '?owner=payments,shipping'],
    [{ q: 'a&b=c d' }, '?q=a%26b%3Dc+d'],
  ])('%p is %p', (query, search) => {
    expect(searchOf(query)).toBe(search)
  })
})
