import { describe, expect, test } from 'bun:test'
import {
  changesOf,
  driftOf,
  nextWords,
  noteOf,
  type Promotion,
  referenceOf,
  refusalOf,
  shortDigest,
  versionOf,
} from '#src/console/pages/entity/stage.ts'
import { environmentState, promotionState } from '#tests/support/promotion-state.ts'

type Environment = Promotion['environments'][number]

const image = (tag: string | null, digest: string | null = null) => ({
  name: 'ghcr.io/acme/shop',
  tag,
  digest,
})

const environment = (given: Partial<Environment> = {}) =>
  environmentState({ requires: ['platform-team'], ...given })

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
  ...promotionState,
  environments: [environment()],
  ...given,
})

describe('an environment', () => {
  test('that nothing has reached says what comes first', () => {
    const environments = [
      environment(),
      environment({ name: 'staging' }),
      environment({ name: 'production' }),
    ]
    const notes = (next: Promotion['next']) =>
      environments.map((each) => noteOf(promotion({ environments, next }), each))
    const passed = 'The lifecycle has passed it'
    expect(notes(null)).toStrictEqual([passed, passed, passed])
    const rights = { allowed: true, requires: [] }
    expect(notes({ environment: 'staging', targetLifecycle: 'staging', ...rights })).toStrictEqual([
      passed,
      'After dev',
      'After staging',
    ])
    expect(notes({ environment: 'dev', targetLifecycle: 'development', ...rights })[0]).toBe(
      'Not proposed yet',
    )
  })

  test('says what a release would change', () => {
    const before = {
      image: image('1.5.0'),
      config: { replicas: 2, ingress: { host: 'shop.example' } },
    }
    const after = {
      image: image('1.6.0'),
      config: { replicas: 2, database: { tier: 'shared' } },
    } as const
    expect(changesOf(before, after)).toStrictEqual([
      { label: 'Image', before: '1.5.0', after: '1.6.0' },
      { label: 'Host', before: 'shop.example', after: null },
      { label: 'Database', before: null, after: 'shared' },
    ])
  })

  test.each([
    ['pr_closed', '#7 was closed without a merge'],
    ['ready_to_confirm', 'Merged; confirm it'],
    ['live', null],
  ] as const)('%s says: %s', (state, note) => {
    const one = environment({ overlay: state !== 'pr_closed', state, pullRequest: 7 })
    expect(noteOf(promotion({ environments: [one] }), one)).toBe(note)
  })
})

describe('settings and images', () => {
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
    expect(nextWords(promotion({ confirm }))).toContain('Confirm moves it to staging')
    expect(nextWords(promotion({ next: null }))).toBe('In dev.')
    expect(nextWords(promotion({ next: null, lifecycle: 'deprecated' }))).toStartWith('Deprecated')
    expect(nextWords(promotion())).toContain('Next: a pull request for staging')
    expect(nextWords(promotion({ pullRequests: [pullRequest(9)] }))).toStartWith('#9')
    const environments = [
      environment({ name: 'staging', lifecycle: 'staging', state: 'ready_to_confirm' }),
    ]
    const pending = { ...confirm, available: false, pullRequest: 9 }
    expect(nextWords(promotion({ environments, confirm: pending }))).toBe(
      '#9 waits for its merge, which moves it to staging.',
    )
    const [staging = environment()] = environments
    expect(noteOf(promotion({ environments, confirm: pending }), staging)).toBe(
      'Merged; #9 moves the lifecycle',
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
