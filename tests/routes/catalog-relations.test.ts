import { afterAll, describe, expect, test } from 'bun:test'
import { openPortal, type TestPortal } from '#tests/support/portal.ts'

const RELATIONS = '/api/v1/catalog/entities/resource/db/relations'
const DEPENDANTS = 10_000

/** Files of a thousand components that depend on one database. */
const dependants = Object.fromEntries(
  Array.from({ length: 10 }, (_, file) => [
    `catalog/d${file}.yaml`,
    Array.from({ length: DEPENDANTS / 10 }, (_, index) => {
      const name = `c${String(file * 1_000 + index).padStart(5, '0')}`
      return `apiVersion: a\nkind: Component\nmetadata: {name: ${name}}\nspec: {dependsOn: [resource:db]}\n`
    }).join('---\n'),
  ]),
)

const portal = await openPortal({
  files: {
    ...dependants,
    'catalog/a.yaml':
      'apiVersion: a\nkind: Resource\nmetadata: {name: db, title: The ledger}\nspec: {owner: group:acme/payments, dependsOn: [resource:gone]}\n',
  },
})
afterAll(() => portal[Symbol.asyncDispose]())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  portal.request(path, { as: 'dev', headers })
const targetsOf = async (response: Response) =>
  ((await response.json()) as { target: { name: string } | null }[]).map(
    ({ target }) => target?.name ?? null,
  )
const nextOf = (response: Response) =>
  /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]

test('a page has a hundred relations by default, the total and a link to the next', async () => {
  const page = await get(RELATIONS)
  expect(page.headers.get('x-total-count')).toBe(String(DEPENDANTS + 2))
  expect(nextOf(page)).toBe(`${RELATIONS}?limit=100&offset=100`)
  const relations = (await page.json()) as unknown[]
  expect(relations).toHaveLength(100)
  expect(relations.slice(0, 2)).toStrictEqual([
    { type: 'dependsOn', ref: 'resource:gone', target: null },
    {
      type: 'dependencyOf',
      ref: 'component:c00000',
      target: { kind: 'Component', name: 'c00000', title: null },
    },
  ])
  const other = await get('/api/v1/catalog/entities/COMPONENT/C00007/relations')
  expect(await other.json()).toStrictEqual([
    {
      type: 'dependsOn',
      ref: 'resource:db',
      target: { kind: 'Resource', name: 'db', title: 'The ledger' },
    },
  ])
})

test('the pages together are all relations, each once', async () => {
  const seen: (string | null)[] = []
  let next: string | undefined = `${RELATIONS}?limit=1000&type=dependencyOf`
  while (next !== undefined) {
    const page = await get(next)
    expect(page.headers.get('x-total-count')).toBe(String(DEPENDANTS))
    seen.push(...(await targetsOf(page)))
    next = nextOf(page)
  }
  expect(seen).toHaveLength(DEPENDANTS)
  expect(new Set(seen).size).toBe(DEPENDANTS)
  expect(seen[0]).toBe('c00000')
  expect(seen.at(-1)).toBe('c09999')
})

test.each([
  ['type=dependsOn', 1],
  ['type=dependsOn,ownedBy', 2],
  ['type=dependsOn&type=ownedBy', 2],
  ['type=hasPart', 0],
  [`offset=${DEPENDANTS + 1}`, 1],
  [`offset=${DEPENDANTS + 2}`, 0],
])('%s', async (query, length) => {
  expect(await targetsOf(await get(`${RELATIONS}?${query}`))).toHaveLength(length)
})

test('two hops go on in the direction of the first, and not past the entity itself', async () => {
  const entity = (kind: string, name: string, spec: object) =>
    `apiVersion: a\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${JSON.stringify(spec)}\n`
  await using small = await openPortal({
    files: {
      'catalog/a.yaml': [
        entity('Component', 'shop', {
          dependsOn: ['shop', 'db', 'gone', 'mailer'],
          consumesApis: ['mail-http'],
          providesApis: ['shop-http'],
          owner: 'group:acme/payments',
        }),
        entity('Component', 'db', { dependsOn: Array.from({ length: 20 }, (_, at) => `d${at}`) }),
        entity('Component', 'mailer', { dependsOn: ['shop'], providesApis: ['mail-http'] }),
        entity('Component', 'web', { consumesApis: ['shop-http'] }),
        entity('API', 'mail-http', {}),
        entity('API', 'shop-http', {}),
      ].join('---\n'),
    },
  })
  const path = '/api/v1/catalog/entities/component/shop/relations'
  const read = async (query: string) => {
    const answer = await small.request(`${path}?${query}`, { as: 'dev' })
    return { next: nextOf(answer), rows: (await answer.json()) as Row[] }
  }
  interface Row {
    readonly type: string
    readonly ref: string
    readonly further?: readonly Row[]
    readonly furtherCount?: number
  }
  const { rows } = await read('hops=2')
  expect(
    rows.map(({ type, ref, further, furtherCount }) => [
      `${type} ${ref}`,
      further?.slice(0, 1).map((each) => `${each.type} ${each.ref}`),
      further?.length,
      furtherCount,
    ]),
  ).toStrictEqual([
    ['dependsOn shop', undefined, undefined, undefined],
    ['dependsOn db', ['dependsOn d0'], 8, 20],
    ['dependsOn gone', undefined, undefined, undefined],
    ['dependsOn mailer', ['dependsOn shop'], 1, 1],
    ['dependencyOf component:mailer', ['dependencyOf component:shop'], 2, 2],
    ['dependencyOf component:shop', undefined, undefined, undefined],
    ['providesApi shop-http', ['apiConsumedBy component:web'], 1, 1],
    ['consumesApi mail-http', ['apiProvidedBy component:mailer'], 1, 1],
    ['ownedBy group:acme/payments', undefined, undefined, undefined],
  ])
  const bare = (await read('')).rows
  expect(bare.map((row) => Object.keys(row))).toStrictEqual(
    rows.map(() => ['type', 'ref', 'target']),
  )
  expect(rows).toMatchObject(bare)
  expect((await read('hops=2&limit=1')).next).toBe(`${path}?hops=2&limit=1&offset=1`)
})

test.each([
  ['hops=0', '/query/hops', 'minimum'],
  ['hops=3', '/query/hops', 'maximum'],
  ['limit=0', '/query/limit', 'minimum'],
  ['limit=1001', '/query/limit', 'maximum'],
  ['offset=-1', '/query/offset', 'minimum'],
  ['type=dependson', '/query/type/0', 'one_of'],
])('%s is refused', async (query, path, rule) => {
  const response = await get(`${RELATIONS}?${query}`)
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { errors: [{ path, rule }] },
  ])
})

test('an entity that is not there has near ones', async () => {
  const response = await get('/api/v1/catalog/entities/resource/dbs/relations')
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { code: 'entity_not_found', suggestions: ['resource/db'] },
  ])
})

describe('after a change', () => {
  const broken = async (of: TestPortal) =>
    (
      (await (await of.request('/api/v1/catalog/problems', { as: 'dev' })).json()) as {
        code: string
        line: number
        column: number
      }[]
    ).map(({ code, line, column }) => `${code} ${line}:${column}`)

  test('the tag is another, and what was broken is not any more', async () => {
    const first = await get(RELATIONS)
    expect(await broken(portal)).toStrictEqual(['relation_broken 4:48'])
    await portal.commit({
      'catalog/b.yaml': 'apiVersion: a\nkind: Resource\nmetadata: {name: gone}\n',
    })
    portal.portal.catalog.invalidate()
    const again = await get(RELATIONS, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(200)
    expect((await targetsOf(again))[0]).toBe('gone')
    expect(await broken(portal)).toStrictEqual([])
  })
})
