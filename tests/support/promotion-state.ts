import type { PromotionState } from '#src/console/pages/entity/acts/acts-of.ts'

const MEMBERS = ['platform-team', 'payments:Managers', 'payments']
const MANAGERS = ['platform-team', 'payments:Managers']

type Environment = PromotionState['environments'][number]

const nowhere = {
  overlay: false,
  state: 'none',
  pullRequest: null,
  image: null,
  config: {},
  proposed: null,
  deployedAt: null,
  deployedBy: null,
  runsOn: [],
  allowed: true,
} satisfies Partial<Environment>

/** The environment `dev`, where nothing runs. */
export const environmentState = (given: Partial<Environment> = {}): Environment => ({
  ...nowhere,
  name: 'dev',
  lifecycle: 'development',
  secretsPath: 'payments/payments-api/dev/env',
  requires: MEMBERS,
  ...given,
})

/** `payments-api` is live in dev, and staging is next. The person may do everything. */
export const promotionState: PromotionState = {
  entity: { kind: 'Component', name: 'payments-api' },
  team: 'payments',
  app: 'payments-api',
  path: 'apps/payments/payments-api',
  revision: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  revisionUrl: 'https://git.example.org/acme/gitops/commit/9f2c1e0',
  promotable: true,
  lifecycle: 'development',
  pullRequests: [],
  imageTags: { dev: '1.5.0-rc.3', staging: null, production: null },
  environments: [
    environmentState({
      overlay: true,
      state: 'live',
      image: { name: 'ghcr.io/acme/payments-api', tag: '1.5.0-rc.3', digest: null },
      config: {
        replicas: 2,
        resources: {
          requests: { cpu: '50m', memory: '64Mi' },
          limits: { cpu: '250m', memory: '128Mi' },
        },
        ingress: { host: 'payments-api.dev.acme.example' },
        database: { tier: 'shared', name: 'payments-api-dev-db' },
      },
    }),
    environmentState({
      name: 'staging',
      lifecycle: 'staging',
      secretsPath: 'payments/payments-api/staging/env',
      requires: MANAGERS,
    }),
    environmentState({
      name: 'production',
      lifecycle: 'production',
      secretsPath: 'payments/payments-api/production/env',
      requires: MANAGERS,
    }),
  ],
  next: {
    targetLifecycle: 'staging',
    environment: 'staging',
    allowed: true,
    requires: MANAGERS,
  },
  deprecation: { allowed: true, requires: MANAGERS },
  confirm: {
    available: false,
    targetLifecycle: 'staging',
    reason: 'overlay missing',
    pullRequest: null,
  },
  acts: [],
  drift: [],
}
