import { afterAll, describe, expect, test } from 'bun:test'
import { document } from '#tests/support/openapi.ts'
import { openShop } from '#tests/support/promotion.ts'

const portal = await openShop()
afterAll(() => portal[Symbol.asyncDispose]())

const ENTITY = '/api/v1/catalog/entities/component/shop'

/** What pages ask for again and again. */
const POLLED = [
  ['/api/v1/catalog/entities', 'listEntities'],
  [ENTITY, 'getEntity'],
  ['/api/v1/catalog/facets', 'getFacets'],
  ['/api/v1/catalog/problems', 'listCatalogProblems'],
  ['/api/v1/catalog/needs', 'listNeeds'],
  [`${ENTITY}/relations`, 'listRelations'],
  [`${ENTITY}/promotion`, 'getPromotion'],
  [`${ENTITY}/promotion/history?environment=dev`, 'listPromotionHistory'],
  [`${ENTITY}/promotion/versions`, 'listVersions'],
  [`${ENTITY}/promotion/compare?from=dev&to=staging`, 'compareEnvironments'],
  ['/api/v1/environments', 'listEnvironments'],
  ['/api/v1/promotions', 'listPromotions'],
  ['/api/v1/scaffold/templates', 'listTemplates'],
  ['/api/v1/scaffold/runs', 'listRuns'],
  ['/api/v1/cli/releases', 'listCliReleases'],
  ['/api/v1/clusters', 'listClusters'],
] as const

const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

describe.each(POLLED)('GET %s', (path, operationId) => {
  test('is 304 for a client that has the answer', async () => {
    const first = await portal.request(path, { as: 'dev' })
    const etag = first.headers.get('etag') ?? ''
    expect({ status: first.status, etag }).toStrictEqual({
      status: 200,
      etag: expect.stringMatching(/^(W\/)?"[^"]+"$/),
    })
    expect(first.headers.get('cache-control')).toBe('private, no-cache')

    const again = await portal.request(path, { as: 'dev', headers: { 'if-none-match': etag } })
    expect({ status: again.status, etag: again.headers.get('etag') }).toStrictEqual({
      status: 304,
      etag,
    })
    expect(await again.text()).toBe('')

    const other = await portal.request(path, { as: 'dev', headers: { 'if-none-match': '"old"' } })
    expect(other.status).toBe(200)
    const signedOut = await portal.request(path, { headers: { 'if-none-match': etag } })
    expect(signedOut.status).toBe(401)
  })

  test('says so in the OpenAPI document', () => {
    const operation = described.find((each) => each.operationId === operationId)
    expect(Object.keys(operation?.responses ?? {})).toContain('304')
    expect(Object.keys(operation?.responses['200']?.headers ?? {})).toContain('ETag')
    expect(operation?.parameters?.map(({ name }) => name)).toContain('If-None-Match')
  })
})

/** JSON that pages do not poll, or that browsers shall not keep: sessions, the trail of people's addresses. */
const UNTAGGED = [
  'getAgentResource',
  'getAuthorizationServer',
  'getProtectedResource',
  'listGrants',
  'getHealth',
  'getOpenApi',
  'getReadiness',
  'getSession',
  'listAuditRecords',
  'listPodEvents',
  'listSessions',
  'listDeployTokens',
]

test('every other JSON answer has a tag', () => {
  const untagged = Object.values(document.paths)
    .flatMap(({ get }) => get ?? [])
    .filter(({ responses }) => responses['200']?.content?.['application/json'] !== undefined)
    .filter(({ responses }) => responses['304'] === undefined)
    .map(({ operationId }) => operationId)
  expect(untagged.filter((id) => !UNTAGGED.includes(id))).toStrictEqual([])
})

test('people with different answers have different tags', async () => {
  const tag = async (as: 'dev' | 'outsider') =>
    (await portal.request(`${ENTITY}/promotion`, { as })).headers.get('etag')
  expect(await tag('dev')).not.toBe(await tag('outsider'))
})
