import { describe, expect, test } from 'bun:test'
import { applicationFiles } from '#tests/support/application.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { kustomize } from '#tests/support/kustomize.ts'
import { openShop, OVERLAY, promote } from '#tests/support/promotion.ts'

describe.skipIf(kubectl === null)('what is proposed builds with kustomize', () => {
  interface Wish {
    readonly replicas?: number
    readonly resources?: { readonly limits: { readonly cpu: string; readonly memory: string } }
    readonly ingress?: { readonly host: string }
    readonly database?: { readonly tier: string; readonly name?: string }
    readonly image?: { readonly tag: string }
  }
  const options: readonly (readonly [keyof Wish, readonly Wish[]])[] = [
    ['replicas', [{}, { replicas: 0 }, { replicas: 4 }]],
    ['resources', [{}, { resources: { limits: { cpu: '2', memory: '1Gi' } } }]],
    ['ingress', [{}, { ingress: { host: 'shop.dev.acme.example' } }]],
    [
      'database',
      [{}, { database: { tier: 'shared' } }, { database: { tier: 'dedicated', name: '0777' } }],
    ],
    ['image', [{}, { image: { tag: '1.10' } }, { image: { tag: '12345e7' } }]],
  ]
  const combinations = options.reduce<readonly Wish[]>(
    (sofar, [, choices]) =>
      sofar.flatMap((config) => choices.map((choice) => ({ ...config, ...choice }))),
    [{}],
  )

  const pairsOf = (config: Wish): readonly string[] => {
    const choices = options.map(([name]) => JSON.stringify([name, config[name]]))
    return choices.flatMap((one, index) => choices.slice(index + 1).map((two) => one + two))
  }
  /** Each pair of choices at least once: a member of the patch depends on no more than one other, the database on its base's. */
  const pairwise: Wish[] = []
  const missing = new Set(combinations.flatMap(pairsOf))
  const gainOf = (config: Wish) => pairsOf(config).filter((pair) => missing.has(pair)).length
  while (missing.size > 0) {
    const best = combinations.reduce((one, two) => (gainOf(two) > gainOf(one) ? two : one))
    pairwise.push(best)
    for (const pair of pairsOf(best)) missing.delete(pair)
  }

  test.each([true, false])(
    'in all pairs of settings, with a database in the base: %p',
    async (database) => {
      await using portal = await openShop({ database })
      await portal.signIn('platform')
      const base = applicationFiles({ database })
      const check = async (config: Wish) => {
        const { body } = await promote(portal, 'development', config, 'platform', '?dryRun=true')
        const files = Object.fromEntries(
          (body['files'] as { path: string; content: string }[]).map((file) => [
            file.path,
            file.content,
          ]),
        )
        const { limits } = config.resources ?? { limits: { cpu: '250m', memory: '128Mi' } }
        const image = `ghcr.io/acme/shop${config.image ? `:${config.image.tag}` : ''}`
        const { tier = 'shared', name = 'shop-dev-db' } = config.database ?? {}
        const hasDatabase = database || config.database !== undefined
        expect(await kustomize({ ...base, ...files }, `${OVERLAY}/dev`)).toMatchObject({
          kind: 'XTenantApp',
          metadata: { name: 'payments-shop-dev' },
          spec: {
            parameters: {
              appName: 'shop',
              environment: 'dev',
              namespace: 'payments-dev',
              image,
              replicas: config.replicas ?? 1,
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits },
              ingress: config.ingress ? { enabled: true, ...config.ingress } : { enabled: true },
              externalSecrets: { enabled: true, path: 'payments/shop/dev/env' },
              database: hasDatabase ? { enabled: true, tier, name } : { enabled: false },
            },
          },
        })
      }
      // What else there is in the patch does not depend on the base.
      const wishes = database
        ? options.flatMap(([name, choices]) => (name === 'database' ? choices : []))
        : pairwise
      for (let start = 0; start < wishes.length; start += 4) {
        await Promise.all(wishes.slice(start, start + 4).map(check))
      }
    },
    120_000,
  )
})
