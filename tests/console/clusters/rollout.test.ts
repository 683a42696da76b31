import { describe, expect, test } from 'bun:test'
import { restartRefusal, rolloutOf, rolloutWords } from '#src/console/pages/clusters/rollout.ts'

const replicas = (desired: number, updated = desired, unavailable = 0) => ({
  desired,
  updated,
  ready: desired - unavailable,
  available: desired - unavailable,
  unavailable,
})
const observed = {
  status: 'Progressing',
  statusMessage: 'Waiting for deployment "shop" rollout to finish',
  replicas: replicas(3),
  observedGeneration: 7,
  paused: false,
} as const

describe('how far a restart is', () => {
  test.each([
    [{ observedGeneration: 6, status: 'Available' }, 'The restart is accepted'],
    [{ replicas: replicas(3, 1) }, '1 of 3 pods replaced'],
    [{ replicas: replicas(3, 2, 1) }, '1 of 3 pods replaced'],
    [{ replicas: replicas(3, 0, 1) }, '0 of 3 pods replaced'],
    [{ replicas: replicas(3, 4) }, '3 of 3 pods replaced'],
    [{ status: 'Available' }, 'Restarted'],
    [
      { status: 'Degraded', statusMessage: 'deployment "shop" exceeded its progress deadline' },
      'The restart failed: deployment "shop" exceeded its progress deadline',
    ],
  ] as const)('%j', (change, words) => {
    expect(rolloutWords(rolloutOf({ ...observed, ...change }, 7))).toBe(words)
  })
})

describe('why it cannot be restarted', () => {
  const deployment = { isPaused: false, pods: 2 }
  const mine = { canRestart: true, team: 'payments' }
  test.each([
    [deployment, mine, null],
    [deployment, { canRestart: false, team: 'payments' }, 'the team payments'],
    [deployment, { canRestart: false, team: null }, 'the platform team'],
    [{ ...deployment, isPaused: true }, mine, 'kubectl rollout resume'],
    [{ ...deployment, pods: 0 }, mine, 'scaled to zero'],
    [deployment, undefined, 'not known yet'],
  ])('%j in %j', (it, namespace, part) => {
    const refusal = restartRefusal(it, namespace)
    if (part === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(part)
  })
})
