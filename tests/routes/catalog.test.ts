import { describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createKeptFile } from '#src/lib/adapters/kept-bytes/file.ts'
import { err } from '#src/lib/result.ts'
import {
  component,
  openPortal,
  type Person,
  sharedPortal,
  type TestPortal,
} from '#tests/support/portal.ts'
import { outcomeOf } from '#tests/support/outcome.ts'

const ENTITIES = '/api/v1/catalog/entities'

interface EntityBody {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const FILES = {
  'catalog/payments/components/payments-api.yaml': component('payments-api'),
  'catalog/payments/components/refunds.yaml': `apiVersion: portico/v1
kind: Component
metadata:
  name: refunds
  title: Señor Refund
  description: Pays money back
  tags: [batch]
  annotations:
    example.org/runbook: runbook-payments
spec: {type: job, lifecycle: production, owner: group:acme/payments, system: checkout}
`,
  'catalog/shipping/api.yaml': `apiVersion: portico/v1
kind: API
metadata: {name: payments-events}
spec: {type: asyncapi, lifecycle: staging, owner: group:acme/shipping, system: tracking}
---
apiVersion: portico/v1
kind: System
metadata: {name: tracking}
spec: {owner: group:acme/shipping}
`,
  'catalog/broken.yaml': 'kind: Component\n  metadata: {name: x}\n',
  'catalog/shipping/twin.yaml': component('refunds'),
  'catalog/readme.md': 'not read',
}

const names = async (response: Response): Promise<string[]> => {
  const entities = (await response.json()) as EntityBody[]
  return entities.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
}

const open = () => openPortal({ files: FILES })
/** For requests that change nothing. */
const unchanged = sharedPortal(open)
const list = async (portal: TestPortal, query = '') =>
  names(await portal.request(`${ENTITIES}${query}`, { as: 'dev' }))

describe('the list', () => {
  test('has every entity, by kind, then name', async () => {
    const response = await unchanged().request(ENTITIES, { as: 'dev' })
    expect(await names(response)).toStrictEqual([
      'API/payments-events',
      'Component/payments-api',
      'Component/refunds',
      'System/tracking',
    ])
    const { headers } = response
    const head = await unchanged().git.head({ owner: 'acme', name: 'gitops' } as never)
    expect(headers.get('x-total-count')).toBe('4')
    expect(headers.get('x-catalog-revision')).toBe(head.ok ? head.value.commit : '')
    expect(headers.get('x-catalog-age')).toBe('0')
    expect(headers.get('x-catalog-stale')).toBeNull()
    expect(headers.get('link')).toBeNull()
  })

  test.each([
    ['?kind=component', ['Component/payments-api', 'Component/refunds']],
    ['?kind=api,system', ['API/payments-events', 'System/tracking']],
    ['?kind=api&kind=system', ['API/payments-events', 'System/tracking']],
    ['?owner=group:acme/shipping', ['API/payments-events', 'System/tracking']],
    ['?system=Tracking', ['API/payments-events']],
    ['?type=asyncapi,job', ['API/payments-events', 'Component/refunds']],
    ['?tag=Batch', ['Component/refunds']],
    ['?mine=false&kind=system', ['System/tracking']],
    ['?unknown=parameter&kind=system', ['System/tracking']],
    [
      '?kind=',
      ['API/payments-events', 'Component/payments-api', 'Component/refunds', 'System/tracking'],
    ],
    ['?q=payments', ['API/payments-events', 'Component/payments-api', 'Component/refunds']],
    ['?q=se%C3%B1or', ['Component/refunds']],
    ['?q=pay+back', ['Component/refunds']],
    ['?q=runbook-pay&kind=component', ['Component/refunds']],
    ['?q=%00', []],
  ])('filters %s', async (query, expected) => {
    expect(await list(unchanged(), query)).toStrictEqual(expected)
  })

  test('pages are opt-in, linked, and cover the list exactly', async () => {
    const portal = unchanged()
    const seen: string[] = []
    let next: string | undefined = `${ENTITIES}?limit=2&q=a`
    let pages = 0
    while (next !== undefined) {
      const response = await portal.request(next, { as: 'dev' })
      expect(response.headers.get('x-total-count')).toBe('4')
      seen.push(...(await names(response)))
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
      pages++
    }
    expect(pages).toBe(2)
    expect(seen).toStrictEqual(await list(portal, '?q=a'))
    expect(await list(portal, '?limit=1000&offset=3')).toStrictEqual(['System/tracking'])
    expect(await list(portal, '?offset=99')).toStrictEqual([])
  })

  test('all spellings of a query have one list, with one tag and one link to the next page', async () => {
    const tags = new Set<string | null>()
    const link = `<${ENTITIES}?kind=api%2Csystem&q=a&limit=1&offset=1>; rel="next"`
    for (const query of [
      `limit=1&kind=${',api,'.padEnd(30, ',')}&junk=1&kind=system&q=a&owner=`,
      'kind=api,system&q=a&limit=1',
      'offset=0&q=a&limit=01&kind=api&kind=system',
      'kind=API,System&q=a&limit=1',
    ]) {
      const response = await unchanged().request(`${ENTITIES}?${query}`, { as: 'dev' })
      expect(response.headers.get('link')).toBe(link)
      tags.add(response.headers.get('etag'))
    }
    expect(tags.size).toBe(1)
  })

  test.each([
    'limit=0',
    'limit=1001',
    'limit=1.5',
    'limit=x',
    'limit=1&limit=2',
    'offset=-1',
    `q=${'a'.repeat(201)}`,
  ])('refuses %s', async (query) => {
    const response = await unchanged().request(`${ENTITIES}?${query}`, { as: 'dev' })
    expect(response.status).toBe(422)
  })

  test('is not sent again while it has not changed', async () => {
    await using portal = await open()
    const first = await portal.request(ENTITIES, { as: 'dev' })
    const etag = first.headers.get('etag') ?? ''
    for (const given of [etag, `"other", ${etag}`, '*', etag.replace('W/', '')]) {
      const again = await portal.request(ENTITIES, {
        as: 'dev',
        headers: { 'if-none-match': given },
      })
      expect([given, again.status, await again.text()]).toStrictEqual([given, 304, ''])
      expect(again.headers.get('etag')).toBe(etag)
    }
    const filtered = await portal.request(`${ENTITIES}?kind=api`, {
      as: 'dev',
      headers: { 'if-none-match': etag },
    })
    expect(filtered.status).toBe(200)

    await portal.commit({ 'catalog/new.yaml': component('new') })
    portal.portal.catalog.invalidate()
    const changed = await portal.request(ENTITIES, {
      as: 'dev',
      headers: { 'if-none-match': etag },
    })
    expect(changed.status).toBe(200)
  })

  test('stays the same, tag included, when only other folders change', async () => {
    await using portal = await open()
    const first = await portal.request(ENTITIES, { as: 'dev' })
    await portal.commit({ 'apps/payments/x.yaml': 'a: 1\n' })
    portal.portal.catalog.invalidate()
    const second = await portal.request(ENTITIES, { as: 'dev' })
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(second.headers.get('x-catalog-revision')).not.toBe(
      first.headers.get('x-catalog-revision'),
    )
  })

  // `preferred-coding.test.ts` has what else a client can ask for.
  test.each([
    ['br, gzip;q=0.5', true],
    ['gzip;q=0', false],
  ])('comes compressed for %s: %p', async (coding, compressed) => {
    const about = `  about: ${'long enough to gain '.repeat(100)}\n`
    await using portal = await openPortal({ files: { 'catalog/a.yaml': component('a', about) } })
    const plain = await portal.request(ENTITIES, { as: 'dev' })
    const response = await portal.request(ENTITIES, {
      as: 'dev',
      headers: { 'accept-encoding': coding },
    })
    expect(response.headers.get('content-encoding')).toBe(compressed ? 'gzip' : null)
    expect(response.headers.get('vary')).toContain('accept-encoding')
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = compressed ? gunzipSync(bytes).toString() : new TextDecoder().decode(bytes)
    expect(text).toBe(await plain.text())
  })

  test('larger than a megabyte it goes out in chunks, and is the same list', async () => {
    const description = 'x'.repeat(3_000)
    const files = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `catalog/c${index}.yaml`,
        component(`service-${index}`, `  about: ${description}\n`),
      ]),
    )
    await using portal = await openPortal({ files })
    const response = await portal.request(ENTITIES, { as: 'dev' })
    expect(response.body).not.toBeNull()
    const text = await response.text()
    expect(text.length).toBeGreaterThan(1024 * 1024)
    expect((JSON.parse(text) as EntityBody[]).length).toBe(500)
    const zipped = await portal.request(ENTITIES, {
      as: 'dev',
      headers: { 'accept-encoding': 'gzip' },
    })
    expect(gunzipSync(new Uint8Array(await zipped.arrayBuffer())).toString()).toBe(text)
  })
})

describe('one entity', () => {
  test('is exactly what its file says, whatever else is in it', async () => {
    await using portal = await openPortal({
      files: {
        'catalog/x.yaml':
          'apiVersion: v1\nkind: Component\nmetadata: {name: x, labels: {a: "1"}}\nspec: {extra: [1, 2.5, true, null, {deep: ü}]}\nother: kept\n',
      },
    })
    const response = await portal.request(`${ENTITIES}/Component/X`, { as: 'dev' })
    expect(response.status).toBe(200)
    expect(await response.json()).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Component',
      metadata: { name: 'x', labels: { a: '1' } },
      spec: { extra: [1, 2.5, true, null, { deep: 'ü' }] },
      other: 'kept',
    })
    const etag = response.headers.get('etag') ?? ''
    const again = await portal.request(`${ENTITIES}/component/x`, {
      as: 'dev',
      headers: { 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
  })

  test('that is not there comes with names that are near', async () => {
    const response = await unchanged().request(`${ENTITIES}/component/payment-api`, { as: 'dev' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      code: 'entity_not_found',
      suggestions: ['component/payments-api'],
    })
    const otherKind = await unchanged().request(`${ENTITIES}/component/tracking`, { as: 'dev' })
    expect(await otherKind.json()).toMatchObject({ suggestions: ['system/tracking'] })
  })
})

test('problems name what is wrong and where; the first of two duplicates is served', async () => {
  const response = await unchanged().request('/api/v1/catalog/problems', { as: 'dev' })
  const problems = (await response.json()) as {
    code: string
    path: string
    line: number
    ref: string | null
  }[]
  expect(problems.map(({ code, path, line, ref }) => ({ code, path, line, ref }))).toStrictEqual([
    { code: 'yaml_syntax', path: 'catalog/broken.yaml', line: 2, ref: null },
    {
      code: 'relation_broken',
      path: 'catalog/payments/components/payments-api.yaml',
      line: 9,
      ref: 'component/payments-api',
    },
    {
      code: 'entity_duplicate',
      path: 'catalog/payments/components/refunds.yaml',
      line: 1,
      ref: 'component/refunds',
    },
    {
      code: 'relation_broken',
      path: 'catalog/payments/components/refunds.yaml',
      line: 10,
      ref: 'component/refunds',
    },
    {
      code: 'entity_duplicate',
      path: 'catalog/shipping/twin.yaml',
      line: 1,
      ref: 'component/refunds',
    },
  ])
  const served = await unchanged().request(`${ENTITIES}/component/refunds`, { as: 'dev' })
  expect(await served.json()).toMatchObject({ metadata: { title: 'Señor Refund' } })
})

describe('mine=true', () => {
  const PAYMENTS = ['Component/payments-api', 'Component/refunds']
  const SHIPPING = ['API/payments-events', 'System/tracking']
  const PLATFORM = {
    'catalog/platform.yaml': component('portal').replace('/payments', '/platform-team'),
  }

  test('is what the teams of the caller own; the platform team counts as one', async () => {
    await using portal = await openPortal({ files: { ...FILES, ...PLATFORM } })
    const mine = async (as: Person) => names(await portal.request(`${ENTITIES}?mine=true`, { as }))
    expect(await mine('dev')).toStrictEqual(PAYMENTS)
    expect(await mine('manager')).toStrictEqual(PAYMENTS)
    expect(await mine('outsider')).toStrictEqual(SHIPPING)
    expect(await mine('platform')).toStrictEqual(['Component/portal'])
    const facets = await portal.request('/api/v1/catalog/facets?mine=true', { as: 'outsider' })
    expect(await facets.json()).toMatchObject({ kind: [{ value: 'API' }, { value: 'System' }] })
  })

  test('nobody gets the list or a 304 that is somebody else’s', async () => {
    const portal = unchanged()
    for (const path of [`${ENTITIES}?mine=true`, '/api/v1/catalog/facets?mine=true']) {
      const first = await portal.request(path, { as: 'dev' })
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
      const same = await portal.request(path, { as: 'manager', headers })
      const other = await portal.request(path, { as: 'outsider', headers })
      expect([first.status, same.status, other.status]).toStrictEqual([200, 304, 200])
      expect(other.headers.get('etag')).not.toBe(first.headers.get('etag'))
      expect(await other.text()).not.toBe(await first.text())
    }
  })

  test('follows the groups of the session, and pages by its link', async () => {
    const portal = unchanged()
    const first = await portal.request(`${ENTITIES}?mine=true&limit=1`, { as: 'dev' })
    const link = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(link).toBe(`${ENTITIES}?mine=true&limit=1&offset=1`)
    expect(await names(await portal.request(link, { as: 'dev' }))).toStrictEqual(PAYMENTS.slice(1))
    expect(await names(await portal.request(link, { as: 'outsider' }))).toStrictEqual([
      'System/tracking',
    ])
  })

  test.each(['', '1', 'yes', 'TRUE'])('%p is no flag', async (value) => {
    const response = await unchanged().request(`${ENTITIES}?mine=${value}`, { as: 'dev' })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ errors: [{ path: '/query/mine', rule: 'type' }] })
  })
})

describe('sort', () => {
  test.each([
    [
      'sort=name',
      ['Component/payments-api', 'API/payments-events', 'Component/refunds', 'System/tracking'],
    ],
    [
      'sort=lifecycle',
      ['Component/payments-api', 'API/payments-events', 'Component/refunds', 'System/tracking'],
    ],
    [
      'sort=-owner&kind=component,system',
      ['System/tracking', 'Component/payments-api', 'Component/refunds'],
    ],
    ['sort=-name&limit=1&offset=1', ['Component/refunds']],
  ])('%s', async (query, expected) => {
    expect(await list(unchanged(), `?${query}`)).toStrictEqual(expected)
  })

  test('is part of the tag and of the link', async () => {
    const get = (query: string) => unchanged().request(`${ENTITIES}?${query}`, { as: 'dev' })
    const [one, other] = [await get('limit=1&sort=name'), await get('limit=1&sort=-name')]
    expect(one.headers.get('etag')).not.toBe(other.headers.get('etag'))
    expect(one.headers.get('link')).toBe(`<${ENTITIES}?sort=name&limit=1&offset=1>; rel="next"`)
  })

  test('by lifecycle has another tag with other environments', async () => {
    const tagsOf = async (ENVIRONMENTS: string) => {
      await using portal = await openPortal({ files: FILES, environment: { ENVIRONMENTS } })
      const tagOf = async (sort: string) =>
        (await portal.request(`${ENTITIES}?sort=${sort}`, { as: 'dev' })).headers.get('etag')
      return await Promise.all(['lifecycle', '-lifecycle', 'name'].map(tagOf))
    }
    const [rising, falling, named] = await tagsOf('a:staging:manager,b:production:manager')
    const [otherRising, otherFalling, same] = await tagsOf('a:production:manager,b:staging:manager')
    expect(otherRising).not.toBe(rising)
    expect(otherFalling).not.toBe(falling)
    expect(same).toBe(named)
  })

  test.each(['title', '', 'Name', '--name', 'name,kind'])('by %p is refused', async (sort) => {
    const response = await unchanged().request(`${ENTITIES}?sort=${sort}`, { as: 'dev' })
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { errors: [{ path: '/query/sort', rule: 'one_of' }] },
    ])
  })
})

describe('fields', () => {
  const FIELDS = 'fields=metadata.name,spec.owner&fields=metadata.title'
  const inPart = { as: 'dev' } as const
  const partOf = (kind: string, metadata: object, owner: string) => ({
    apiVersion: 'portico/v1',
    kind,
    metadata,
    spec: { owner: `group:acme/${owner}` },
  })

  test('answer those and what the schema requires, also of a page', async () => {
    const portal = unchanged()
    const response = await portal.request(`${ENTITIES}?${FIELDS}&kind=component`, inPart)
    expect(await response.json()).toStrictEqual([
      partOf('Component', { name: 'payments-api' }, 'payments'),
      partOf('Component', { name: 'refunds', title: 'Señor Refund' }, 'payments'),
    ])
    const page = await portal.request(`${ENTITIES}?${FIELDS}&limit=1`, inPart)
    expect(await page.json()).toStrictEqual([
      partOf('API', { name: 'payments-events' }, 'shipping'),
    ])
    expect(page.headers.get('x-total-count')).toBe('4')
    const next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect(await (await portal.request(next, inPart)).json()).toStrictEqual([
      partOf('Component', { name: 'payments-api' }, 'payments'),
    ])
  })

  test('of a full list go on to the next page', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `metadata.annotations.a${index}`)
    const page = await unchanged().request(`${ENTITIES}?fields=${names.join()}&limit=1`, inPart)
    const next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await unchanged().request(next, inPart)).status).toBe(200)
  })

  test('of the schema are known, whether or not an entity has them', async () => {
    const unused = 'fields=spec.definition,metadata.annotations.example.org/unused'
    const response = await unchanged().request(`${ENTITIES}?${unused}&limit=1`, inPart)
    expect(await response.json()).toStrictEqual([
      { apiVersion: 'portico/v1', kind: 'API', metadata: { name: 'payments-events' } },
    ])
  })

  test('have a tag of their own, the same in any order, and nothing of them is in the whole list', async () => {
    const get = async (query: string) =>
      (await unchanged().request(`${ENTITIES}${query}`, inPart)).headers.get('etag')
    const part = await get('?fields=kind,metadata.name')
    expect(await get('?fields=metadata.name&fields=kind,kind')).toBe(part)
    expect(await get('?fields=kind')).toBe(part)
    expect(await get('?fields=spec.owner')).not.toBe(part)
    expect(await get('')).not.toBe(part)
    expect(await list(unchanged())).toContain('Component/refunds')
  })

  test.each([
    [`fields=${'x'.repeat(201)}`, '/query/fields/0', 'max_length'],
    [`fields=${'x,'.repeat(51)}`, '/query/fields', 'max_items'],
    ['fields=spec.owner,spec.onwer', '/query/fields/1', 'unknown'],
    ['fields=metadata.links.url', '/query/fields/0', 'unknown'],
    ['fields=Kind', '/query/fields/0', 'unknown'],
  ])('too long, too many or unknown are refused: %#', async (query, path, rule) => {
    const response = await unchanged().request(`${ENTITIES}?${query}`, { as: 'dev' })
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { errors: [{ path, rule }] },
    ])
  })
})

test('facets count what the filter selects', async () => {
  await using portal = await open()
  const response = await portal.request('/api/v1/catalog/facets?owner=payments', { as: 'dev' })
  expect(await response.json()).toStrictEqual({
    kind: [{ value: 'Component', count: 2 }],
    system: [{ value: 'checkout', count: 2 }],
    owner: [{ value: 'group:acme/payments', count: 2 }],
    lifecycle: [
      { value: 'development', count: 1 },
      { value: 'production', count: 1 },
    ],
    type: [
      { value: 'job', count: 1 },
      { value: 'service', count: 1 },
    ],
    tag: [{ value: 'batch', count: 1 }],
  })
  const kinds = async () => {
    const answer = await portal.request('/api/v1/catalog/facets?owner=payments', { as: 'dev' })
    const { kind } = (await answer.json()) as { readonly kind: unknown }
    return kind
  }
  await portal.commit({ 'catalog/more.yaml': component('more') })
  portal.portal.catalog.invalidate()
  expect(await kinds()).toStrictEqual([{ value: 'Component', count: 3 }])
})

describe('validate', () => {
  const validate = async (portal: TestPortal, body: string, type = 'application/yaml') => {
    const response = await portal.request('/api/v1/catalog/validate', {
      as: 'dev',
      method: 'POST',
      body,
      headers: { 'content-type': type },
    })
    expect(response.status).toBe(200)
    return (await response.json()) as {
      entities: string[]
      problems: { code: string; line: number }[]
    }
  }

  test('a file that is fine, as YAML and as JSON', async () => {
    const yaml = await validate(unchanged(), component('a') + '---\n' + component('b'))
    expect(yaml).toStrictEqual({ entities: ['component/a', 'component/b'], problems: [] })
    const entity = { apiVersion: 'v1', kind: 'API', metadata: { name: 'c' } }
    const json = await validate(unchanged(), JSON.stringify(entity), 'application/json')
    expect(json).toStrictEqual({ entities: ['api/c'], problems: [] })
  })

  test('what is wrong, as the catalog would say it', async () => {
    const portal = unchanged()
    const { entities, problems } = await validate(
      portal,
      `${component('a')}---\n${component('a')}---\nkind: Component\nmetadata: {name: Not_A_Label}\n`,
    )
    expect(entities).toStrictEqual(['component/a'])
    expect(problems.map(({ code }) => code).toSorted()).toStrictEqual([
      'entity_duplicate',
      'field_invalid',
      'field_missing',
    ])
  })
})

describe('freshness', () => {
  test('an expired catalog is fetched again before it is served', async () => {
    await using portal = await open()
    await list(portal)
    await portal.commit({ 'catalog/new.yaml': component('new') })
    portal.clock.advance(301_000)
    expect(await list(portal)).toContain('Component/new')
  })

  test('when the git host is away the last catalog is served, marked stale, for an hour', async () => {
    await using portal = await open()
    await list(portal)
    portal.git.failWith = 'git_host_unreachable'
    portal.clock.advance(301_000)
    const stale = await portal.request(ENTITIES, { as: 'dev' })
    expect(stale.status).toBe(200)
    expect(stale.headers.get('x-catalog-stale')).toBe('true')
    expect(Number(stale.headers.get('x-catalog-age'))).toBeGreaterThanOrEqual(301)

    // The session is renewed on the way: it would idle out within the hour.
    portal.clock.advance(3_000_000)
    expect((await portal.request(ENTITIES, { as: 'dev' })).status).toBe(200)
    portal.clock.advance(700_000)
    const gone = await portal.request(ENTITIES, { as: 'dev' })
    expect(gone.status).toBe(503)
    expect(gone.headers.get('retry-after')).toBe('5')
    expect(await gone.json()).toMatchObject({ code: 'git_host_unreachable' })

    portal.git.failWith = undefined
    portal.clock.advance(3_000)
    const back = await portal.request(ENTITIES, { as: 'dev' })
    expect([back.status, back.headers.get('x-catalog-stale')]).toStrictEqual([200, null])
  })

  test('without anything to serve says when the git host allows calls again', async () => {
    await using portal = await open()
    portal.git.failWith = 'git_rate_limited'
    await portal.request(ENTITIES, { as: 'dev' })
    portal.clock.advance(1_000_000)
    const response = await portal.request(ENTITIES, { as: 'dev' })
    expect([response.status, response.headers.get('retry-after')]).toStrictEqual([429, '9800'])
  })

  // `load.test.ts` has the other ways to be empty.
  test('a branch with files that hold nothing does not empty the catalog', async () => {
    await using portal = await open()
    await list(portal)
    await portal.commit(
      Object.fromEntries(Object.keys(FILES).map((file) => [file, '# nothing here\n'])),
    )
    portal.portal.catalog.invalidate()
    const response = await portal.request(ENTITIES, { as: 'dev' })
    expect(response.headers.get('x-catalog-stale')).toBe('true')
    expect((await names(response)).length).toBe(4)

    portal.clock.advance(2 * 3_600_000)
    portal.forget('dev')
    const late = await portal.request(ENTITIES, { as: 'dev' })
    expect(await outcomeOf(late)).toBe('503 catalog_empty')
  })

  test.each(['refs/heads/main', 'HEAD', 'config', 'packed-refs'])(
    'a repository whose %s cannot be read: the last catalog is served, marked stale, for an hour',
    async (name) => {
      await using portal = await open()
      await list(portal)
      await Bun.$`git -C ${portal.repository} pack-refs --all`.quiet()
      const file = join(portal.repository, name)
      const before = await readFile(file).catch(() => null)
      await writeFile(file, '[garbage\n')
      portal.portal.catalog.invalidate()
      const stale = await portal.request(ENTITIES, { as: 'dev' })
      expect([stale.status, stale.headers.get('x-catalog-stale')]).toStrictEqual([200, 'true'])
      expect(await names(stale)).toHaveLength(4)
      expect((await portal.portal.catalog.atHead()).ok).toBe(false)

      portal.clock.advance(2 * 3_600_000)
      portal.forget('dev')
      const late = await portal.request(ENTITIES, { as: 'dev' })
      expect(await outcomeOf(late)).toBe('502 git_host_error')
      await (before === null ? rm(file) : writeFile(file, before))
      portal.clock.advance(3_000)
      const back = await portal.request(ENTITIES, { as: 'dev' })
      expect([back.status, back.headers.get('x-catalog-stale')]).toStrictEqual([200, null])
    },
  )

  test('an invalidated catalog is not served when the repository or its branch has gone', async () => {
    await using portal = await open()
    await list(portal)
    await Bun.$`git -C ${portal.repository} symbolic-ref HEAD refs/heads/gone`.quiet()
    portal.portal.catalog.invalidate()
    const headless = await portal.portal.catalog.read()
    await rename(portal.repository, `${portal.repository}.renamed`)
    portal.portal.catalog.invalidate()
    const gone = await portal.portal.catalog.read()
    expect([headless, gone]).toStrictEqual([
      err({ kind: 'git_not_found', what: 'branch' }),
      err({ kind: 'git_not_found', what: 'repository' }),
    ])
  })
})

describe('a start without the git host', () => {
  /** The folder of a process that has loaded the catalog once. */
  async function afterFirst() {
    const directory = await mkdtemp(join(tmpdir(), 'portico-kept-'))
    const file = join(directory, 'catalog.parsed')
    const kept = (writer = 'one') => createKeptFile({ path: file, writer })
    await using portal = await openPortal({ files: FILES, parsedCatalog: kept() })
    await list(portal)
    const loadedBy = portal.clock.now()
    const confirmedAt = async () => (await stat(file).catch(() => undefined))?.mtimeMs ?? Infinity
    while ((await confirmedAt()) > loadedBy) await Bun.sleep(20)
    return {
      file,
      async start(writer?: string) {
        const next = await openPortal({ files: FILES, parsedCatalog: kept(writer) })
        next.git.failWith = 'git_host_unreachable'
        return next
      },
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
    }
  }

  test('serves the kept catalog, marked stale and as old as it is, until the host is back', async () => {
    await using first = await afterFirst()
    await using portal = await first.start()
    portal.clock.advance(100_000)
    const stale = await portal.request(ENTITIES, { as: 'dev' })
    expect([stale.status, stale.headers.get('x-catalog-stale')]).toStrictEqual([200, 'true'])
    expect(await names(stale)).toHaveLength(4)
    expect(Number(stale.headers.get('x-catalog-age'))).toBeGreaterThanOrEqual(100)
    expect((await portal.portal.catalog.atHead()).ok).toBe(false)
    expect(portal.portal.catalog.state()).toBe('loading')
    portal.git.failWith = undefined
    portal.clock.advance(3_000)
    const back = await portal.request(ENTITIES, { as: 'dev' })
    expect([back.status, back.headers.get('x-catalog-stale')]).toStrictEqual([200, null])
    expect(portal.portal.catalog.state()).toBe('readable')
  })

  test('serves nothing that is too old, of the future, of another writer or damaged', async () => {
    await using first = await afterFirst()
    const statusAfter = async (ms: number, writer?: string) => {
      await using portal = await first.start(writer)
      portal.clock.advance(ms)
      return (await portal.request(ENTITIES, { as: 'dev' })).status
    }
    expect(await statusAfter(3_800_000)).toBe(200)
    expect(await statusAfter(3_910_000)).toBe(503)
    expect(await statusAfter(-60_000)).toBe(503)
    expect(await statusAfter(0, 'two')).toBe(503)
    await writeFile(first.file, 'garbage')
    expect(await statusAfter(0)).toBe(503)
  })
})
