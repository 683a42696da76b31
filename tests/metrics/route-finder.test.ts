import { afterAll, describe, expect, test } from 'bun:test'
import { createRouteFinder } from '#src/lib/metrics/route-finder.ts'
import { openPortal } from '#tests/support/portal.ts'

describe('the route of a path', () => {
  const find = createRouteFinder([
    '/a',
    '/a/:x',
    '/a/:x/:y',
    '/a/:x/b',
    '/a/:x/b/:y',
    '/',
    '/a/fixed',
  ])
  test.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/1', '/a/:x'],
    ['/a/fixed', '/a/fixed'],
    ['/a/:x', '/a/:x'],
    ['/a/1/b', '/a/:x/b'],
    ['/a/1/2', '/a/:x/:y'],
    ['/a/1/b/2', '/a/:x/b/:y'],
    ['/a/%2f/b', '/a/:x/b'],
    ['/a/', undefined],
    ['/a//b', undefined],
    ['/a/1/', undefined],
    ['/a/1/b/', undefined],
    ['/a/1/bb', '/a/:x/:y'],
    ['/a/1/b/2/3', undefined],
    ['/b', undefined],
    ['', undefined],
    ['/A', undefined],
  ])('%s is %s', (path, pattern) => {
    expect(find(path)).toBe(pattern)
  })
})

const portal = await openPortal()
afterAll(() => portal[Symbol.asyncDispose]())

describe("the router's own routes", () => {
  const patterns = [...new Set(portal.portal.app.elysia.routes.map(({ path }) => path))]
  const find = createRouteFinder(patterns)

  test('are found by a path of each', () => {
    expect(patterns.length).toBeGreaterThan(20)
    for (const pattern of patterns) {
      expect(find(pattern.replaceAll(/:[^/]+/g, 'some-Thing_1.%2e'))).toBe(pattern)
    }
  })

  test('are found exactly where the router finds one', async () => {
    const paths = patterns.flatMap((pattern) => {
      const path = pattern.replaceAll(/:[^/]+/g, 'x')
      return [path, `${path}/`, `${path}/y`, path.slice(0, -1), path.replace('x', ''), `/${path}`]
    })
    for (const path of paths.filter((path) => path !== '')) {
      // The router knows a method for every path that is a route's, and for no other.
      const { status } = await portal.request(path, { method: 'OPTIONS', undocumented: true })
      expect([path, find(path) !== undefined]).toStrictEqual([path, status === 204])
    }
  })
})
