import { describe, expect, test } from 'bun:test'
import {
  askedAct,
  type EntityAct,
  labelOf,
  placeActs,
} from '#src/console/pages/entity/acts/acts-of.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

const act = (
  what: EntityAct['do'],
  environment: EntityAct['environment'],
  reason: EntityAct['reason'] = null,
  message = '',
): EntityAct => ({
  do: what,
  environment,
  allowed: reason === null,
  requires: [],
  reason,
  message,
})

const names = (acts: readonly EntityAct[]) => acts.map(({ do: what }) => what)

test('the way up is below the pipeline, and its main act is the last', () => {
  const acts = [
    act('release', 'dev'),
    act('rollback', 'dev', 'forbidden'),
    act('update', 'staging'),
    act('confirm', 'staging', 'pr_pending'),
    act('promote', 'production', 'invalid_transition'),
    act('deprecate', null),
  ]
  const placed = placeActs({ acts, next: promotionState.next })
  expect(names(placed.next)).toStrictEqual(['confirm', 'update'])
  expect(names(placed.inStage('dev'))).toStrictEqual(['release', 'rollback'])
  expect(names(placed.inStage('staging'))).toStrictEqual([])
  expect(names(placed.inStage('production'))).toStrictEqual([])
  expect(names(placed.inMenu)).toStrictEqual(['deprecate'])
  const early = [act('promote', 'staging'), act('confirm', 'staging', 'overlay_missing')]
  expect(names(placeActs({ acts: early, next: promotionState.next }).next)).toStrictEqual([
    'promote',
  ])
  expect(placeActs({ acts, next: null }).next).toStrictEqual([])
})

describe('an address', () => {
  const acts = [
    act('release', 'dev'),
    act('update', 'staging'),
    act('confirm', 'staging', 'pr_pending', 'PR #4 pending'),
    act('promote', 'production', 'invalid_transition', 'staging comes first.'),
    act('update', null),
  ]
  const NOT_NOW = 'The versions on this page show what is possible.'
  test.each([
    ['release', 'dev', 'Release to dev…'],
    ['release', null, 'Release to dev…'],
    ['promote', 'staging', 'Update the pull request…'],
    // Not the refusal of production, which has the same name.
    ['promote', null, 'Update the pull request…'],
    ['confirm', null, 'Confirm staging: PR #4 pending'],
    ['update', 'staging', 'Update the pull request…'],
    ['update', null, 'Update the deprecation…'],
    ['deprecate', null, 'Update the deprecation…'],
    ['confirm', 'staging', 'Confirm staging: PR #4 pending'],
    ['promote', 'production', 'Promote to production: staging comes first.'],
    ['rollback', 'staging', `This cannot be done now: ${NOT_NOW}`],
    ['fly', 'dev', `This cannot be done now: ${NOT_NOW}`],
    [
      'release',
      'qa',
      'This cannot be done now: payments-api has no environment “qa”. It has: dev, staging, production.',
    ],
  ])('%s %s: %s', (what, environment, text) => {
    const asked = askedAct({ ...promotionState, acts }, { do: what, environment })
    expect(asked.kind === 'act' ? labelOf(asked.act) : `${asked.title}: ${asked.why}`).toBe(text)
  })

  test('opens what is allowed behind what is refused', () => {
    const allowed = act('update', 'staging')
    const acts = [act('release', 'dev', 'forbidden', 'Needs payments.'), allowed]
    const asked = askedAct({ ...promotionState, acts }, { do: 'release', environment: null })
    expect(asked).toStrictEqual({ kind: 'act', act: allowed })
  })

  test('is answered with the first refusal where nothing is allowed', () => {
    const refused = [
      act('update', 'staging', 'forbidden', 'Needs payments:Managers.'),
      act('promote', 'production', 'invalid_transition', 'staging comes first.'),
    ]
    const asked = askedAct(
      { ...promotionState, acts: refused },
      { do: 'promote', environment: null },
    )
    expect(asked).toStrictEqual({
      kind: 'refused',
      title: 'Update the pull request',
      why: 'Needs payments:Managers.',
    })
  })
})
