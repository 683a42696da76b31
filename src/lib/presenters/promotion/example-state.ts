const PERSON = { subject: 'dev', name: 'Dana Developer' }
const MANAGERS = ['platform-team', 'payments:Managers']
const MEMBERS = [...MANAGERS, 'payments']
const PULL_REQUEST = 42

/** An environment with nothing in it, where `more` does not say otherwise. */
const environment = (
  name: string,
  [cluster, namespace, allowed]: readonly [string, string, boolean | null],
  more: object,
) => ({
  name,
  lifecycle: name,
  overlay: false,
  state: 'none',
  pullRequest: null,
  image: null,
  config: {},
  proposed: null,
  deployedAt: null,
  deployedBy: null,
  secretsPath: `payments/payments-api/${name}/env`,
  runsOn: [
    {
      cluster,
      namespace,
      labelSelector: 'app.kubernetes.io/name=payments-api',
      allowed,
      canRestart: allowed,
    },
  ],
  allowed: true,
  requires: MANAGERS,
  ...more,
})

const running = (host: string, replicas: number) => ({
  image: { name: 'registry.example.org/acme/payments-api', tag: '1.5.0-rc.3', digest: null },
  config: { replicas, ingress: { host } },
})

const act = (
  what: string,
  where: string | null,
  message: string,
  reason: string | null = null,
) => ({
  do: what,
  environment: where,
  allowed: reason === null,
  requires: where === 'dev' ? MEMBERS : MANAGERS,
  reason,
  message,
})

export const exampleState = {
  entity: { kind: 'Component', name: 'payments-api' },
  team: 'payments',
  app: 'payments-api',
  path: 'apps/payments/payments-api',
  revision: '9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  revisionUrl:
    'https://portal.example.org/acme/gitops/commit/9f2c1e0d1f1b2a3948576acbd0e1f2a3b4c5d6e7',
  promotable: true,
  settings: ['replicas', 'resources', 'ingress', 'database'],
  lifecycle: 'development',
  pullRequests: [
    {
      number: PULL_REQUEST,
      title: '[Promote] payments/payments-api → staging',
      url: 'https://portal.example.org/acme/gitops/pulls/42',
      state: 'open',
      environment: 'staging',
      targetLifecycle: 'staging',
      branch: 'promote/payments/payments-api/staging',
      createdBy: PERSON,
      createdAt: '2026-11-21T09:30:00.000Z',
      mergeable: 'clean',
      checks: 'passing',
      review: 'required',
      draft: false,
      queued: false,
    },
  ],
  imageTags: { dev: '1.5.0-rc.3', staging: null, production: null },
  environments: [
    environment('dev', ['dev-east', 'payments-dev', true], {
      lifecycle: 'development',
      overlay: true,
      state: 'live',
      ...running('payments-api.dev.example.org', 1),
      deployedAt: '2026-11-20T16:12:00.000Z',
      deployedBy: PERSON,
      requires: MEMBERS,
    }),
    environment('staging', ['dev-east', 'payments-staging', true], {
      state: 'pr_open',
      pullRequest: PULL_REQUEST,
      proposed: {
        ...running('payments-api.staging.example.org', 2),
        pullRequest: PULL_REQUEST,
      },
    }),
    environment('production', ['prod-west', 'payments', null], {}),
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
    reason: 'PR #42 pending',
    pullRequest: PULL_REQUEST,
  },
  acts: [
    act('release', 'dev', 'Opens a pull request that changes what runs in dev.'),
    act('rollback', 'dev', 'Proposes an image that ran in dev before.'),
    act('update', 'staging', 'Changes pull request #42.'),
    act('confirm', 'staging', 'PR #42 pending', 'pr_pending'),
    act(
      'promote',
      'production',
      'Nothing is in production yet. staging comes first.',
      'invalid_transition',
    ),
    act('deprecate', null, 'Opens a pull request that deprecates payments-api.'),
  ],
  drift: [],
}
