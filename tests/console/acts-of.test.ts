import { describe, expect, test } from 'bun:test'
import {
  actsOf,
  askedAct,
  type Environment,
  type PromotionState,
} from '#src/console/pages/entity/acts/acts-of.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

const MANAGERS = ['platform-team', 'payments:Managers']

/** `staging` in another state, and the state around it. */
function staging(
  changes: Partial<Environment>,
  around: Partial<PromotionState> = {},
): PromotionState {
  const environments = promotionState.environments.map((environment) =>
    environment.name === 'staging' ? { ...environment, ...changes } : environment,
  )
  return { ...promotionState, environments, ...around }
}

const inStaging = (state: PromotionState) =>
  actsOf(state)
    .filter(({ environment }) => environment === 'staging')
    .map(({ do: what, label, reason }) => [what, label, reason])

const proposed = { image: null, config: {}, pullRequest: 7 }
const nextIs = (
  environment: Environment['name'],
  targetLifecycle: Environment['lifecycle'],
): PromotionState['next'] => ({ environment, targetLifecycle, allowed: true, requires: MANAGERS })
const pending = { ...promotionState.confirm, available: false, reason: 'PR #42 pending' }
const ready = { ...promotionState.confirm, available: true, reason: null }
const needs = 'Needs platform-team or payments:Managers. Ask a member of one of them.'

describe('the acts in an environment', () => {
  test.each([
    ['nothing there', staging({}), [['promote', 'Promote to staging…', null]]],
    ['closed', staging({ state: 'pr_closed' }), [['promote', 'Promote to staging…', null]]],
    [
      'in review',
      staging({ state: 'pr_open' }, { confirm: pending }),
      [
        ['promote', 'Update the pull request…', null],
        ['confirm', 'Confirm staging', 'PR #42 pending'],
      ],
    ],
    [
      'merged',
      staging({ state: 'ready_to_confirm' }, { confirm: ready }),
      [['confirm', 'Confirm staging', null]],
    ],
    [
      'live',
      staging({ state: 'live' }),
      [
        ['release', 'Release to staging…', null],
        ['rollback', 'Roll back…', null],
      ],
    ],
    [
      'live with an open release',
      staging({ state: 'live', proposed }),
      [
        ['release', 'Update the pull request…', null],
        ['rollback', 'Roll back…', null],
      ],
    ],
    ['not the role', staging({ allowed: false }), [['promote', 'Promote to staging…', needs]]],
    [
      'not the role to confirm',
      staging({ state: 'ready_to_confirm', allowed: false }, { confirm: ready }),
      [['confirm', 'Confirm staging', needs]],
    ],
    ['not its turn', staging({}, { next: nextIs('dev', 'development') }), []],
    [
      'added later',
      staging({}, { next: nextIs('production', 'production') }),
      [['promote', 'Promote to staging…', null]],
    ],
    [
      'added later, in review',
      staging({ state: 'pr_open', proposed }, { next: null, confirm: pending }),
      [['promote', 'Update the pull request…', null]],
    ],
    [
      'merged, and the lifecycle in review',
      staging({ state: 'ready_to_confirm' }, { confirm: pending }),
      [['confirm', 'Confirm staging', 'PR #42 pending']],
    ],
    ['deprecated', staging({ state: 'live' }, { lifecycle: 'Deprecated' }), []],
    [
      'a base that nothing can be written on',
      staging({}, { promotable: false, missing: 'base/app.yaml has no namespace' }),
      [
        [
          'promote',
          'Promote to staging…',
          'The application cannot be promoted: base/app.yaml has no namespace.',
        ],
      ],
    ],
    [
      'a broken base is no matter to a confirmation',
      staging({ state: 'ready_to_confirm' }, { confirm: ready, promotable: false }),
      [['confirm', 'Confirm staging', null]],
    ],
  ])('%s', (_, state, acts) => {
    expect(inStaging(state)).toStrictEqual(acts)
  })

  test('one group is no choice', () => {
    expect(inStaging(staging({ allowed: false, requires: ['platform-team'] }))).toStrictEqual([
      ['promote', 'Promote to staging…', 'Needs platform-team. Ask a member.'],
    ])
  })

  test('of a person whose groups are unknown', () => {
    const session = {
      subject: 'x',
      name: 'X',
      email: null,
      groups: [],
      groupsKnown: false,
      groupsAdvice: 'add a groups claim',
      teams: [],
      platform: false,
      expiresAt: '2026-11-21T20:00:00.000Z',
    }
    expect(actsOf(staging({ allowed: false }), session)).toContainEqual({
      do: 'promote',
      environment: 'staging',
      label: 'Promote to staging…',
      reason: 'The sign-in did not tell your groups. add a groups claim',
    })
  })
})

describe('the deprecation', () => {
  const last = (state: PromotionState) => actsOf(state).at(-1)
  const cases: readonly [Partial<PromotionState>, string | null][] = [
    [{}, null],
    [{ deprecation: { allowed: false, requires: MANAGERS } }, needs],
    [{ environments: [], promotable: false }, null],
  ]
  test.each(cases)('%j', (changes, reason) => {
    const act = { do: 'deprecate', environment: null, label: 'Deprecate…', reason } as const
    expect(last({ ...promotionState, ...changes })).toStrictEqual(act)
  })

  test('is not there for what is deprecated', () => {
    expect(actsOf({ ...promotionState, lifecycle: 'deprecated', deprecation: null })).toStrictEqual(
      [],
    )
  })
})

describe('an address', () => {
  const why = (what: string, environment: string | null, state = promotionState) => {
    const asked = askedAct(state, { do: what, environment })
    return asked.kind === 'act' ? asked.act.label : asked.why
  }
  test.each([
    ['promote', 'staging', 'Promote to staging…'],
    ['promote', null, 'Promote to staging…'],
    ['deprecate', null, 'Deprecate…'],
    ['fly', null, '“fly” is none of: promote, release, rollback, confirm, deprecate.'],
    ['promote', 'qa', 'payments-api has no environment “qa”. It has: dev, staging, production.'],
    ['promote', 'dev', 'dev is live. A release changes what runs there.'],
    ['promote', 'production', 'Nothing is in production yet. staging comes first.'],
    ['release', 'staging', 'Nothing is in staging yet.'],
    ['confirm', null, 'This is not possible now. Look at the environments of the page.'],
  ] as const)('%s %s: %s', (what, environment, text) => {
    expect(why(what, environment)).toBe(text)
  })

  test('of an act that is refused', () => {
    expect(
      askedAct(staging({ allowed: false }), { do: 'promote', environment: 'staging' }),
    ).toStrictEqual({ kind: 'refused', title: 'Promote to staging', why: needs })
  })
})
