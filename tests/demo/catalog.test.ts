import { describe, expect, test } from 'bun:test'
import { catalogOf, openDemo } from './open-demo.ts'
import { shared } from '#tests/support/shared.ts'

const demo = shared(openDemo)

describe('the catalog', () => {
  test('has 27 entities, and for both teams a component in every lifecycle', async () => {
    const who = await demo().signIn('dev')
    expect(await catalogOf(who)).toBeArrayOfSize(27)
    for (const owner of ['payments', 'shipping']) {
      const components = await catalogOf(who, `?kind=Component&owner=${owner}`)
      const lifecycles = new Set(components.map(({ spec }) => String(spec.lifecycle)))
      expect([...lifecycles].toSorted()).toStrictEqual([
        'deprecated',
        'development',
        'experimental',
        'production',
        'staging',
      ])
    }
  })

  test('has exactly one broken file and one duplicate, told from both sides', async () => {
    const who = await demo().signIn('dev')
    const response = await who.get('/api/v1/catalog/problems')
    const problems = (await response.json()) as { code: string; severity: string; path: string }[]
    expect(problems.map(({ code, severity, path }) => ({ code, severity, path }))).toStrictEqual([
      {
        code: 'entity_duplicate',
        severity: 'warning',
        path: 'catalog/shipping/components/tracking-web.yaml',
      },
      {
        code: 'entity_duplicate',
        severity: 'error',
        path: 'catalog/shipping/components/web-tracking.yaml',
      },
      {
        code: 'yaml_syntax',
        severity: 'error',
        path: 'catalog/shipping/resources/warehouse-feed.yaml',
      },
    ])
  })

  test('has a row of environments for every application, as its promotion state says', async () => {
    const who = await demo().signIn('platform')
    interface Row {
      readonly entity: { readonly kind: string; readonly name: string }
      readonly app: string
      readonly lifecycle: string
      readonly environments: readonly Environment[]
    }
    interface Environment {
      readonly name: string
      readonly state: string
      readonly image: { readonly tag: string | null } | null
      readonly pullRequest: number | null
    }
    const told = ({ app, lifecycle, environments }: Row) => ({
      app,
      lifecycle,
      environments: environments.map(
        ({ name, state, image, pullRequest }) =>
          `${name} ${state} ${image?.tag ?? null} ${pullRequest}`,
      ),
    })
    const rows = (await (await who.get('/api/v1/environments')).json()) as readonly Row[]
    const states = await Promise.all(
      (await catalogOf(who)).map(async ({ kind, metadata: { name } }) => {
        const response = await who.get(`/api/v1/catalog/entities/${kind}/${name}/promotion`)
        return (await response.json()) as Row & { readonly promotable?: boolean }
      }),
    )
    const promotable = states.filter(({ promotable }) => promotable === true)
    expect(promotable.length).toBeGreaterThan(8)
    expect(rows.map(told)).toStrictEqual(promotable.map(told))
  })

  test('has a release that waits for its review, as the portal writes one', async () => {
    const moves = await (
      await (await demo().signIn('dev')).get('/api/v1/promotions?mine=true')
    ).json()
    expect(moves).toMatchObject([
      {
        kind: 'release',
        waitsFor: 'review',
        app: 'invoice-service',
        environment: 'staging',
        askedBy: { subject: null, name: 'Marek Novak' },
      },
    ])
  })

  test('has relations both ways, and what is of one team for its people', async () => {
    const who = await demo().signIn('dev')
    const response = await who.get('/api/v1/catalog/entities/resource/payments-db/relations')
    const relations = (await response.json()) as { type: string; target: { name: string } | null }[]
    expect(relations.map(({ type, target }) => `${type} ${target?.name}`)).toStrictEqual([
      'dependencyOf invoice-service',
      'dependencyOf ledger',
      'dependencyOf legacy-billing',
      'dependencyOf payments-api',
      'partOf checkout',
      'ownedBy payments',
    ])
    const mine = await catalogOf(who, '?mine=true&kind=component&sort=-lifecycle')
    expect(mine.map(({ spec }) => spec['lifecycle'])).toStrictEqual([
      'deprecated',
      'production',
      'production',
      'staging',
      'development',
      'experimental',
    ])
  })
})
