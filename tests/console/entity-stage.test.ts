import { describe, expect, test } from 'bun:test'
import {
  driftOf,
  nextWords,
  type Promotion,
  referenceOf,
  refusalOf,
  settingsOf,
  shortDigest,
  stagesOf,
  versionOf,
} from '#src/console/pages/entity/stage.ts'

type Environment = Promotion['environments'][number]

const image = (tag: string | null, digest: string | null = null) => ({
  name: 'ghcr.io/acme/shop',
  tag,
  digest,
})

const environment = (given: Partial<Environment> = {}): Environment => ({
  name: 'dev',
  lifecycle: 'development',
  overlay: false,
  state: 'none',
  pullRequest: null,
  image: null,
  config: {},
  proposed: null,
  deployedAt: null,
  deployedBy: null,
  secretsPath: 'payments/shop/dev/env',
  runsOn: [],
  allowed: true,
  requires: ['platform-team'],
  ...given,
})

const pullRequest = (number: number): Promotion['pullRequests'][number] => ({
  number,
  title: '[Promote] payments/shop → staging',
  url: `https://git.example/pulls/${number}`,
  state: 'open',
  environment: 'staging',
  targetLifecycle: 'staging',
  branch: 'promote/payments/shop/staging',
  createdBy: { subject: 'dev', name: 'Dana' },
  createdAt: '2026-11-23T10:00:00Z',
  mergeable: 'clean',
  checks: null,
  review: null,
  draft: null,
  queued: null,
})

const promotion = (given: Partial<Promotion> = {}): Promotion => ({
  entity: { kind: 'Component', name: 'shop' },
  team: 'payments',
  app: 'shop',
  path: 'apps/payments/shop',
  revision: 'a'.repeat(40),
  revisionUrl: 'https://git.example/commit/a',
  promotable: true,
  lifecycle: 'development',
  pullRequests: [],
  imageTags: {},
  environments: [environment()],
  next: {
    targetLifecycle: 'staging',
    environment: 'staging',
    allowed: true,
    requires: ['platform-team'],
  },
  confirm: { available: false, targetLifecycle: 'staging', reason: null, pullRequest: null },
  deprecation: null,
  acts: [],
  drift: [],
  ...given,
})

const onlyStage = (given: Partial<Environment>, pulls: Promotion['pullRequests'] = []) =>
  stagesOf(promotion({ environments: [environment(given)], pullRequests: pulls }))[0]

describe('a stage', () => {
  test('that nothing has reached says what comes first', () => {
    const environments = [
      environment(),
      environment({ name: 'staging' }),
      environment({ name: 'production' }),
    ]
    expect(stagesOf(promotion({ environments }))[0]?.note).toBe('The lifecycle has passed it')
    const next = { environment: 'dev', targetLifecycle: 'development' } as const
    const stages = stagesOf(
      promotion({ environments, next: { ...next, allowed: true, requires: [] } }),
    )
    expect(stages.map(({ title, form, note }) => [title, form, note])).toStrictEqual([
      ['Dev', 'ahead', 'Not proposed yet'],
      ['Staging', 'ahead', 'After dev'],
      ['Production', 'ahead', 'After staging'],
    ])
  })

  test('in review shows what is proposed, and its pull request', () => {
    const pull = pullRequest(4)
    const proposed = { image: image('1.6.0'), config: { replicas: 2 }, pullRequest: 4 }
    expect(
      onlyStage({ state: 'pr_open', proposed, pullRequest: 4 }, [pullRequest(9), pull]),
    ).toMatchObject({
      form: 'review',
      image: image('1.6.0'),
      settings: [{ label: 'Replicas', value: '2' }],
      changes: [],
      pullRequest: pull,
      note: null,
    })
  })

  test('that runs shows what runs, and what a release would change', () => {
    const stage = onlyStage({
      overlay: true,
      state: 'live',
      image: image('1.5.0'),
      config: { replicas: 2, ingress: { host: 'shop.example' } },
      proposed: {
        image: image('1.6.0'),
        config: { replicas: 2, database: { tier: 'shared' } },
        pullRequest: 5,
      },
    })
    expect(stage?.form).toBe('reached')
    expect(stage?.image).toStrictEqual(image('1.5.0'))
    expect(stage?.changes).toStrictEqual([
      { label: 'Image', before: '1.5.0', after: '1.6.0' },
      { label: 'Host', before: 'shop.example', after: null },
      { label: 'Database', before: null, after: 'shared' },
    ])
  })

  test.each([
    ['pr_closed', 'Pull request #7 was closed without a merge'],
    ['ready_to_confirm', 'Merged; confirm it to move the lifecycle to development'],
    ['live', null],
  ] as const)('%s says: %s', (state, note) => {
    expect(onlyStage({ overlay: state !== 'pr_closed', state, pullRequest: 7 })?.note).toBe(note)
  })
})

describe('settings and images', () => {
  test('are in the order and words of Kubernetes; what is not set is left out', () => {
    const settings = settingsOf({
      replicas: 0,
      resources: { requests: { memory: '64Mi' }, limits: { cpu: '250m', memory: '128Mi' } },
      ingress: { host: 'shop.example' },
      database: { tier: 'dedicated', name: 'shop-db' },
    })
    expect(settings.map(({ label, value }) => `${label}: ${value}`)).toStrictEqual([
      'Replicas: 0',
      'Requests: 64Mi',
      'Limits: 250m · 128Mi',
      'Database: dedicated, shop-db',
      'Host: shop.example',
    ])
    expect(settingsOf({ resources: { limits: {} } })).toStrictEqual([])
  })

  test.each([
    [image('1.5.0-rc.3'), '1.5.0-rc.3', 'ghcr.io/acme/shop:1.5.0-rc.3'],
    [
      image(null, `sha256:${'0123456789abcdef'.repeat(4)}`),
      'sha256:0123456789ab',
      `ghcr.io/acme/shop@sha256:${'0123456789abcdef'.repeat(4)}`,
    ],
    [image('1', 'sha256:ff'), '1', 'ghcr.io/acme/shop:1@sha256:ff'],
    [image(null), 'untagged', 'ghcr.io/acme/shop'],
  ])('%j is %s, and %s to copy', (given, version, reference) => {
    expect(versionOf(given)).toBe(version)
    expect(referenceOf(given)).toBe(reference)
  })

  test('a digest of an unknown form stays whole', () => {
    expect(shortDigest('strange')).toBe('strange')
  })
})

describe('sentences', () => {
  test('why it cannot be promoted', () => {
    expect(refusalOf(promotion())).toBeNull()
    const refused = { promotable: false, reason: 'base_unusable', missing: 'base has no name' }
    expect(refusalOf(promotion(refused))).toBe('It cannot be promoted: base has no name.')
    expect(refusalOf(promotion({ promotable: false, reason: 'owner_missing' }))).toStartWith(
      'It has no owner.',
    )
    expect(refusalOf(promotion({ promotable: false, reason: 'a_newer_reason' }))).toBe(
      'It cannot be promoted: a_newer_reason.',
    )
  })

  test('what comes next', () => {
    const confirm = {
      available: true,
      targetLifecycle: 'staging',
      reason: null,
      pullRequest: null,
    } as const
    expect(nextWords(promotion({ confirm }))).toContain('Confirm moves the lifecycle to staging')
    expect(nextWords(promotion({ next: null }))).toContain('reached the last environment')
    expect(nextWords(promotion({ next: null, lifecycle: 'deprecated' }))).toStartWith('Deprecated')
    expect(nextWords(promotion())).toContain('A pull request for staging is next')
    expect(nextWords(promotion({ pullRequests: [pullRequest(9)] }))).toStartWith('Pull request #9')
    const environments = [
      environment({ name: 'staging', lifecycle: 'staging', state: 'ready_to_confirm' }),
    ]
    const pending = { ...confirm, available: false, pullRequest: 9 }
    expect(nextWords(promotion({ environments, confirm: pending }))).toBe(
      'Pull request #9 waits for its merge, which moves the lifecycle to staging.',
    )
    expect(stagesOf(promotion({ environments, confirm: pending }))[0]?.note).toBe(
      'Merged; pull request #9 moves the lifecycle to staging',
    )
  })
})

test('an overlay that waits to be confirmed is no news beside its stage', () => {
  const of = (code: Promotion['drift'][number]['code']) => ({
    code,
    environment: 'dev' as const,
    message: code,
  })
  const drift = [of('lifecycle_behind_overlay'), of('lifecycle_ahead_of_overlay')]
  expect(driftOf(promotion({ drift })).map(({ code }) => code)).toStrictEqual([
    'lifecycle_ahead_of_overlay',
  ])
})
