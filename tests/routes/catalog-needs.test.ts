import { afterAll, expect, test } from 'bun:test'
import { openPortal } from '#tests/support/portal.ts'

const entity = (kind: string, name: string, team: string, spec = '') =>
  `apiVersion: a\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: { owner: group:acme/${team}${spec} }\n`

const portal = await openPortal({
  files: {
    'catalog/all.yaml': [
      entity('Component', 'web', 'payments', ', consumesApis: [own, ship], dependsOn: [bus, gone]'),
      entity('Component', 'job', 'payments', ', consumesApis: [ship, ship]'),
      entity('API', 'own', 'payments'),
      entity('API', 'ship', 'shipping', ', lifecycle: deprecated'),
      entity('Component', 'bus', 'shipping', ', dependsOn: [web]'),
      entity('Component', 'shipper', 'shipping', ', providesApis: [ship]'),
    ].join('---\n'),
  },
})
afterAll(() => portal[Symbol.asyncDispose]())

const NEEDS = '/api/v1/catalog/needs'
const named = (kind: string, name: string) => ({ kind, name, title: null })

test('what a team needs from others is told once, with who needs and who provides it', async () => {
  const answer = await portal.request(`${NEEDS}?mine=true`, { as: 'dev' })
  expect(answer.headers.get('x-total-count')).toBe('2')
  expect(await answer.json()).toStrictEqual([
    {
      entity: named('API', 'ship'),
      owner: 'group:acme/shipping',
      lifecycle: 'deprecated',
      neededBy: [named('Component', 'job'), named('Component', 'web')],
      providers: [named('Component', 'shipper')],
    },
    {
      entity: named('Component', 'bus'),
      owner: 'group:acme/shipping',
      lifecycle: null,
      neededBy: [named('Component', 'web')],
      providers: [],
    },
  ])
})

test.each([
  ['owner=shipping', ['web']],
  ['mine=true&limit=1&offset=1', ['bus']],
  ['', []],
])('%p selects %p', async (query, names) => {
  const answer = await portal.request(`${NEEDS}?${query}`, { as: 'dev' })
  const needs = (await answer.json()) as { readonly entity: { readonly name: string } }[]
  expect(needs.map((need) => need.entity.name)).toStrictEqual(names)
})

test('is refused without a session, and for a page that cannot be', async () => {
  expect((await portal.request(NEEDS)).status).toBe(401)
  expect((await portal.request(`${NEEDS}?limit=0`, { as: 'dev' })).status).toBe(422)
})
