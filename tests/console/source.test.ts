import { describe, expect, test } from 'bun:test'
import { AT, formPlanOf, OWN } from '#src/console/pages/entity/acts/form-plan.ts'
import { sourceEnvironment, sourceOf } from '#src/console/pages/entity/acts/source.ts'
import type { ApplicationHealth } from '#src/console/ui/health.ts'
import { promotionState } from '#tests/support/promotion-state.ts'

describe('where an image comes from', () => {
  test.each([
    ['promote', 'staging', {}, 'dev'],
    ['promote', 'staging', { [AT.imageFrom]: OWN, [AT.imageTag]: '1.5.0-rc.3' }, 'dev'],
    ['promote', 'staging', { [AT.imageFrom]: OWN, [AT.imageTag]: '9.9.9' }, undefined],
    ['promote', 'staging', { [AT.imageFrom]: OWN, [AT.imageTag]: '' }, undefined],
    ['promote', 'dev', {}, undefined],
    ['release', 'dev', {}, undefined],
    ['release', 'staging', { [AT.imageFrom]: 'dev' }, 'dev'],
  ] as const)('%s to %s with %o: %s', (what, environment, texts, from) => {
    const plan = formPlanOf(promotionState, { do: what, environment })
    if (plan === undefined) throw new Error('no plan')
    const found = sourceEnvironment(plan, promotionState, { ...plan.initial, ...texts })
    expect(found?.name).toBe(from)
  })
})

describe('the health there', () => {
  const row = (
    health: ApplicationHealth['health'],
    environment: ApplicationHealth['environment'] = 'dev',
  ) => ({
    entity: { kind: 'Component', name: 'payments-api', title: null },
    environment,
    cluster: 'dev-east',
    namespace: 'payments-dev',
    health,
    reason: 'OOMKilled',
    message: '2 of 2 pods: OOMKilled',
    since: '2026-11-21T09:30:00.000Z',
  })

  test.each([
    [['Healthy'], 'Healthy', null, false],
    [['Healthy', 'Degraded', 'Unstable'], 'Degraded', '2 of 2 pods: OOMKilled', true],
    [['Unstable'], 'Unstable', '2 of 2 pods: OOMKilled', true],
    [['Unknown'], 'Health unknown', '2 of 2 pods: OOMKilled', false],
  ] as const)('%o is %s', (verdicts, label, cause, isDown) => {
    const rows = verdicts.map((health) => row(health))
    expect(sourceOf('dev', [...rows, row('Degraded', 'production')])).toMatchObject({
      environment: 'dev',
      word: { label },
      cause,
      isDown,
    })
  })

  test('is not told without an environment or a row of it', () => {
    expect(sourceOf(undefined, [row('Degraded')])).toBeUndefined()
    expect(sourceOf('staging', [row('Degraded')])).toBeUndefined()
    expect(sourceOf('dev', undefined)).toBeUndefined()
  })
})
