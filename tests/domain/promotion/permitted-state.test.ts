import { describe, expect, test } from 'bun:test'
import { type Act, actsOf } from '#src/lib/domain/promotion/permitted-state.ts'
import { ABSENT } from '#src/lib/domain/promotion/application.ts'
import type { EnvironmentState, StateFacts } from '#src/lib/domain/promotion/state.ts'
import { createPipeline } from '#src/lib/domain/promotion/pipeline.ts'
import type { Unpromotable } from '#src/lib/domain/promotion/subject.ts'
import { AppName, EnvironmentName, LifecycleName, TeamName } from '#src/lib/names.ts'
import type { Principal } from '#src/lib/ports/identity.ts'
import { err, ok } from '#src/lib/result.ts'
import { MAIN, oid } from '#tests/contracts/git-host.ts'

const row = (environment: string, lifecycle: string, promotedBy: 'member' | 'manager') => ({
  environment: EnvironmentName.of(environment),
  lifecycle: LifecycleName.of(lifecycle),
  promotedBy,
})
const pipeline = createPipeline([
  row('dev', 'development', 'member'),
  row('staging', 'staging', 'manager'),
  row('production', 'production', 'manager'),
])

const person = (...names: string[]): Principal => ({
  issuer: 'https://id.example.org',
  subject: 'ada',
  name: 'Ada',
  email: null,
  groups: { kind: 'known', names },
})
const platform = person('platform-team')
const member = person('payments')

type Where = 'none' | 'proposed' | 'closed' | 'there' | 'there and proposed'

/** An application by where its overlays are. */
function facts(
  text: string,
  [dev, staging, production]: readonly [Where, Where, Where],
  { confirm, isBroken, deprecation }: Partial<Changes> = {},
): StateFacts {
  const lifecycle = pipeline.parseLifecycle(text) ?? 'experimental'
  const overlay = { folder: 'x', image: null, config: {}, files: [] }
  const next = pipeline.stageAfter(lifecycle)
  const environments = pipeline.stages.map((stage, index): EnvironmentState => {
    const where = [dev, staging, production][index] ?? 'none'
    const isThere = where.startsWith('there')
    const isProposed = where.endsWith('proposed')
    const isLive = isThere && pipeline.hasReached(lifecycle, stage)
    const waits = isThere ? 'ready_to_confirm' : isProposed ? 'pr_open' : 'none'
    return {
      stage,
      overlay: isThere ? (overlay as never) : null,
      state: isLive ? 'live' : where === 'closed' ? 'pr_closed' : waits,
      pullRequest: isProposed ? 42 : null,
      proposed: isProposed ? { overlay: null, pullRequest: 42 } : null,
    }
  })
  return {
    subject: {
      entity: { card: { kind: 'Component', name: 'shop' } } as never,
      branch: MAIN,
      commit: oid('a'.repeat(40)),
      eligibility: {
        kind: 'promotable',
        lifecycle,
        team: TeamName.of('payments'),
        app: AppName.of('shop'),
        application: {
          ...ABSENT,
          base: isBroken === true ? err('base/app.yaml has no namespace') : ok({} as never),
        },
        pulls: [],
      },
    },
    lifecycle,
    imageTags: {},
    environments,
    deployments: new Map(),
    pullRequests: deprecation === true ? [{ pull: { number: 7 }, act: 'deprecate' } as never] : [],
    canDeprecate: lifecycle !== 'deprecated',
    confirm: {
      available: false,
      targetLifecycle: next?.lifecycle ?? null,
      reason: 'PR #42 pending',
      pullRequest: null,
      ...confirm,
    },
    drift: [],
  }
}

interface Changes {
  readonly confirm: Partial<StateFacts['confirm']>
  readonly isBroken: boolean
  readonly deprecation: boolean
}

const acts = (state: StateFacts, principal = platform) =>
  actsOf({ pipeline, platformGroup: 'platform-team' }, state, principal)

/** `release dev`, or `promote production: invalid_transition`. */
const brief = (all: readonly Act[]) =>
  all.map(
    ({ do: what, environment, reason }) =>
      `${what} ${environment ?? '-'}${reason === null ? '' : `: ${reason}`}`,
  )

const ready = { confirm: { available: true, reason: null } }
const missing = { confirm: { reason: 'overlay missing' } }
const LAST = 'promote production: invalid_transition'

describe('what can be done', () => {
  // prettier-ignore
  test.each([
    ['nothing there', facts('experimental', ['none', 'none', 'none'], missing),
      ['promote dev', 'confirm dev: overlay_missing', 'promote staging: invalid_transition', LAST, 'deprecate -']],
    ['in review', facts('development', ['there', 'proposed', 'none']),
      ['release dev', 'rollback dev', 'update staging', 'confirm staging: pr_pending', LAST, 'deprecate -']],
    ['closed', facts('development', ['there', 'closed', 'none']),
      ['release dev', 'rollback dev', 'promote staging', 'confirm staging: pr_closed', LAST, 'deprecate -']],
    ['merged', facts('development', ['there', 'there', 'none'], ready),
      ['release dev', 'rollback dev', 'confirm staging', LAST, 'deprecate -']],
    ['merged, and the lifecycle in review', facts('development', ['there', 'there', 'none']),
      ['release dev', 'rollback dev', 'confirm staging: pr_pending', LAST, 'deprecate -']],
    ['merged, and changed again', facts('development', ['there', 'there and proposed', 'none']),
      ['release dev', 'rollback dev', 'confirm staging: pr_pending', LAST, 'deprecate -']],
    ['live with an open release', facts('development', ['there and proposed', 'none', 'none'], missing),
      ['update dev', 'rollback dev', 'promote staging', 'confirm staging: overlay_missing', LAST, 'deprecate -']],
    ['added later', facts('production', ['none', 'proposed', 'there']),
      ['promote dev', 'update staging', 'release production', 'rollback production', 'deprecate -']],
    ['a deprecation in review', facts('production', ['there', 'there', 'there'], { deprecation: true }),
      ['release dev', 'rollback dev', 'release staging', 'rollback staging', 'release production', 'rollback production', 'update -']],
    ['deprecated', facts('deprecated', ['there', 'none', 'none']),
      ['promote dev: invalid_transition', 'promote staging: invalid_transition', LAST, 'deprecate -: invalid_transition']],
    ['a base that nothing can be written on', facts('development', ['there', 'there', 'none'], { ...ready, isBroken: true }),
      ['release dev: not_promotable', 'rollback dev: not_promotable', 'confirm staging', LAST, 'deprecate -']],
  ])('%s', (_, state, expected) => {
    expect(brief(acts(state))).toStrictEqual(expected)
  })

  test('by a role that suffices in some environments', () => {
    const state = facts('development', ['there', 'there', 'none'], { ...ready, isBroken: true })
    expect(brief(acts(state, member))).toStrictEqual([
      'release dev: not_promotable',
      'rollback dev: not_promotable',
      'confirm staging: forbidden',
      LAST,
      'deprecate -: forbidden',
    ])
  })
})

test('an entity without a readable application says why nothing of it can be promoted', () => {
  const state = facts('development', ['none', 'none', 'none'])
  const { subject } = state
  const team = TeamName.of('payments')
  const app = AppName.of('shop')
  const without = (
    reason: Unpromotable['reason'],
    more: Partial<StateFacts> & Partial<Pick<Unpromotable, 'team' | 'app'>> = {},
  ): StateFacts => {
    const eligibility = { kind: 'not_promotable', reason, team, app, pulls: [], ...more } as const
    return { ...state, ...more, environments: [], subject: { ...subject, eligibility } }
  }
  const ALL = ['dev', 'staging', 'production'].map((name) => `promote ${name}: not_promotable`)
  const missing = acts(without('application_missing'))
  expect(brief(missing)).toStrictEqual([...ALL, 'deprecate -'])
  expect(missing[0]?.message).toBe(
    'The application cannot be promoted: there is no folder apps/<team>/<name>.',
  )
  const { pullRequests } = facts('development', ['none', 'none', 'none'], { deprecation: true })
  expect(brief(acts(without('application_missing', { pullRequests })))).toStrictEqual([
    ...ALL,
    'update -',
  ])
  const ownerless = without('owner_missing', { team: null, app: null, canDeprecate: false })
  expect(brief(acts(ownerless))).toStrictEqual(ALL)
  expect(brief(acts(ownerless, member))[0]).toBe('promote dev: forbidden')
})

test('what nobody can do yet is no matter of the role', () => {
  const state = facts('development', ['there', 'none', 'none'], missing)
  expect(brief(acts(state, member))).toStrictEqual([
    'release dev',
    'rollback dev',
    'promote staging: forbidden',
    'confirm staging: overlay_missing',
    LAST,
    'deprecate -: forbidden',
  ])
})

test('an act says who may, and its effect or why not', () => {
  const state = facts('development', ['there', 'proposed', 'none'], { isBroken: true })
  const [release, , , confirm, promote] = acts(state)
  expect(release).toStrictEqual({
    do: 'release',
    environment: 'dev',
    allowed: false,
    requires: ['platform-team', 'payments:Managers', 'payments'],
    reason: 'not_promotable',
    message: 'The application cannot be promoted: base/app.yaml has no namespace.',
  })
  expect(confirm?.message).toBe('PR #42 pending')
  expect(promote?.message).toBe('Nothing is in production yet. staging comes first.')
  // Merged by hand, or the lifecycle was set back.
  expect(acts(facts('development', ['there', 'none', 'there'])).at(-2)?.message).toBe(
    'production has an overlay already. staging comes first.',
  )
  expect(acts(state, member).at(-1)).toStrictEqual({
    do: 'deprecate',
    environment: null,
    allowed: false,
    requires: ['platform-team', 'payments:Managers'],
    reason: 'forbidden',
    message: 'Needs platform-team or payments:Managers. Ask a member of one of them.',
  })
  const unknown: Principal = { ...member, groups: { kind: 'unknown', reason: 'missing' } }
  expect(acts(state, unknown)[0]?.message).toStartWith('The sign-in did not tell your groups.')
  const allowed = acts(facts('development', ['there', 'there', 'none'], ready))
  expect(allowed.filter((each) => each.allowed).map(({ message }) => message)).toStrictEqual([
    'Opens a pull request that changes what runs in dev.',
    'Proposes an image that ran in dev before.',
    'Moves the lifecycle to staging.',
    'Opens a pull request that deprecates shop.',
  ])
})
