import { describe, expect, test } from 'bun:test'
import type { Environment, PromotionState } from '#src/console/pages/entity/acts/acts-of.ts'
import { meanwhileOf } from '#src/console/pages/entity/acts/meanwhile.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

const opened = promotionState.environments.find(({ name }) => name === 'staging')
if (opened === undefined) throw new Error('no staging')
const proposed = (pullRequest: number): Environment['proposed'] => ({
  pullRequest,
  image: null,
  config: {},
})
const stateWith = (staging: Environment): PromotionState => ({
  ...promotionState,
  environments: [staging],
})
const words = (before: Partial<Environment>, now: Partial<Environment>) =>
  meanwhileOf({ ...opened, ...before }, stateWith({ ...opened, ...now })).words

describe('what has happened to an environment since a form was opened', () => {
  test('is nothing where it is as it was, whatever else has changed', () => {
    expect(words({}, { requires: ['others'] })).toBeNull()
    expect(meanwhileOf(opened, { ...promotionState, environments: [] }).words).toBeNull()
  })

  test.each([
    [null, 4, 'Pull request #4 to staging was opened meanwhile. Submitting updates it.'],
    [4, 5, 'Pull request #5 to staging was opened meanwhile. Submitting updates it.'],
    [
      4,
      null,
      'Pull request #4 to staging was merged or closed meanwhile. Submitting opens another one.',
    ],
  ])('is a pull request: %p, then %p', (before, now, said) => {
    const at = (number: number | null) => ({ proposed: number === null ? null : proposed(number) })
    expect(words(at(before), at(now))).toBe(said)
  })

  test('is another content, of the environment or of its pull request', () => {
    const config = { replicas: 9 }
    expect(words({ proposed: null }, { proposed: null, config })).toStartWith('staging has changed')
    const later = { pullRequest: 4, image: null, config }
    expect(words({ proposed: proposed(4) }, { proposed: later })).toStartWith(
      'Pull request #4 has changed',
    )
  })

  test('makes a preview old when it changes', () => {
    const { version } = meanwhileOf(opened, stateWith(opened))
    const changed = stateWith({ ...opened, config: { replicas: 9 } })
    expect(meanwhileOf(opened, changed).version).not.toBe(version)
  })
})
