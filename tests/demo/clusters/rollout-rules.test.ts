import { describe, expect, test } from 'bun:test'
import { nextStatus, type DeploymentPods } from '#src/demo/clusters/control/deployment-status.ts'
import { progressDeadline } from '#src/demo/clusters/control/progress-condition.ts'
import {
  rolloutLimits,
  planPausedRollout,
  planRollout,
  type ReplicaSetScale,
} from '#src/demo/clusters/control/rollout-plan.ts'
import type { Deployment } from '#src/demo/clusters/objects.ts'
import { NOW, only, openSimulation } from './open-simulation.ts'

const web = openSimulation(only()).deployment()
const deployment = (spec: object, status: object = {}): Deployment => ({
  ...web,
  spec: { ...web.spec, ...spec },
  status,
})
const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  deployment({
    replicas,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  })
const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

describe('rolloutLimits', () => {
  // prettier-ignore
  test.each([
    [3, '25%', '25%', 1, 0], [4, '25%', '25%', 1, 1], [10, '25%', '25%', 3, 2], [10, 2, 3, 2, 3], [1, 0, 0, 0, 1],
    [3, '0%', '0%', 0, 1], [3, 0, 5, 0, 3], [3, '200%', 0, 6, 0], [0, 0, 0, 0, 0], [0, '25%', '25%', 0, 0],
  ])('of %d replicas with a surge of %p and %p unavailable', (replicas, surge, unavailable, maxSurge, maxUnavailable) => {
    expect(rolloutLimits(rolling(replicas, surge, unavailable))).toStrictEqual({ maxSurge, maxUnavailable })
  })

  test('are a quarter unless said otherwise, and none for a recreation', () => {
    expect(
      rolloutLimits(deployment({ replicas: 8, strategy: { type: 'RollingUpdate' } })),
    ).toStrictEqual({ maxSurge: 2, maxUnavailable: 2 })
    expect(
      rolloutLimits(deployment({ replicas: 8, strategy: { type: 'Recreate' } })),
    ).toStrictEqual({
      maxSurge: 0,
      maxUnavailable: 0,
    })
  })
})

describe('the next move', () => {
  const share = (
    name: string,
    replicas: number,
    available = replicas,
    present = replicas,
  ): ReplicaSetScale => ({
    name,
    replicas,
    available,
    present,
  })
  const plan = (of: Deployment, current: ReplicaSetScale, ...old: ReplicaSetScale[]) =>
    Object.fromEntries(planRollout(of, current, old))

  // prettier-ignore
  test.each<[string, Deployment, ReplicaSetScale, ReplicaSetScale[], Record<string, number>]>([
    ['grows by the surge', rolling(4, 1, 1), share('new', 0), [share('old', 4)], { new: 1 }],
    ['grows no further than that', rolling(4, 1, 0), share('new', 1, 0), [share('old', 4)], {}],
    ['takes as many of the old ones as may be missing', rolling(4, 0, 2), share('new', 0), [share('old', 4)], { old: 2 }],
    ['counts new ones that are not available as missing', rolling(4, 0, 2), share('new', 2, 0), [share('old', 2)], {}],
    ['takes the oldest first', rolling(4, 0, 2), share('new', 0), [share('older', 1), share('old', 3)], { older: 0, old: 2 }],
    ['takes those that do not serve before all others', rolling(4, 1, 1), share('new', 1), [share('older', 2), share('old', 2, 0)], { older: 2, old: 0 }],
    ['cleans up and makes room in one move', rolling(4, 2, 2), share('new', 2), [share('old', 4, 3)], { old: 0 }],
    ['goes down with the number that is wanted', rolling(2, 1, 1), share('new', 5), [], { new: 2 }],
    ['grows to what is wanted when nothing is old', rolling(5, 1, 1), share('new', 2), [], { new: 5 }],
    ['is none when everything is as it should be', rolling(4, 1, 1), share('new', 4), [share('old', 0)], { old: 0 }],
  ])('%s', (_, of, current, old, expected) => {
    expect(plan(of, current, ...old)).toEqual(expected)
  })

  test('of a recreation ends the old ones, waits for their end and begins', () => {
    const recreate = deployment({ replicas: 2, strategy: { type: 'Recreate' } })
    expect(plan(recreate, share('new', 0), share('old', 2))).toStrictEqual({ old: 0 })
    expect(plan(recreate, share('new', 0), share('old', 0, 0, 1))).toStrictEqual({ old: 0 })
    expect(plan(recreate, share('new', 0), share('old', 0))).toStrictEqual({ new: 2 })
  })

  // prettier-ignore
  test.each<[string, ReplicaSetScale[], Record<string, number>]>([
    ['changes the number of the only ones', [share('new', 0), share('old', 2)], { old: 4 }],
    ['starts the first when there are none', [share('new', 0), share('old', 0)], { new: 4 }],
    ['leaves pods of two templates as they are', [share('new', 1), share('old', 2)], {}],
    ['is none without a replica set', [], {}],
  ])('while it is held %s', (_, all, expected) => {
    expect(Object.fromEntries(planPausedRollout(deployment({ replicas: 4 }), all))).toStrictEqual(expected)
  })
})

describe('the status', () => {
  const counts = (replicas: number, pods = replicas, ready = pods, available = ready) => ({
    replicas,
    pods,
    ready,
    available,
  })
  const standing = (
    current: ReturnType<typeof counts>,
    ...old: ReturnType<typeof counts>[]
  ): DeploymentPods => ({
    current: { name: 'web-1', counts: current },
    old,
  })
  const progressing = (reason: string, status = 'True', updated = NOW) => ({
    type: 'Progressing',
    status,
    reason,
    message: 'as before',
    lastUpdateTime: at(updated),
    lastTransitionTime: at(NOW - 900_000),
  })
  const next = (of: Deployment, now: DeploymentPods) => nextStatus(of, now, NOW)
  const progressOf = (of: Deployment, now: DeploymentPods) =>
    next(of, now).conditions?.find(({ type }) => type === 'Progressing')
  const spec = { replicas: 3, progressDeadlineSeconds: 60 }

  test('counts, and leaves out what is zero', () => {
    const { conditions: _, ...status } = next(
      deployment(spec),
      standing(counts(2, 2, 1, 0), counts(2, 2, 2, 2)),
    )
    expect(status).toStrictEqual({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 2,
    })
    const { conditions: __, ...nothing } = next(deployment({ replicas: 0 }), {
      current: undefined,
      old: [],
    })
    expect(nothing).toStrictEqual({ observedGeneration: 1 })
    expect(next(deployment(spec), standing(counts(1, 3))).unavailableReplicas).toBeUndefined()
  })

  test('is available with as many pods as may be missing', () => {
    const available = (count: number) =>
      next(rolling(4, 1, 1), standing(counts(4, 4, 4, count))).conditions?.find(
        ({ type }) => type === 'Available',
      )?.status
    expect([available(4), available(3), available(2)]).toStrictEqual(['True', 'True', 'False'])
  })

  // prettier-ignore
  test.each<[string, object, object, DeploymentPods, string]>([
    ['all there', {}, { replicas: 3, updatedReplicas: 3, availableReplicas: 2, conditions: [progressing('ReplicaSetUpdated')] }, standing(counts(3)), 'True NewReplicaSetAvailable'],
    ['one is not available', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 3, replicas: 3, readyReplicas: 3, availableReplicas: 2 }, standing(counts(3, 3, 3, 2)), 'True NewReplicaSetCreated'],
    ['more updated', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 1, replicas: 1 }, standing(counts(3, 2, 0)), 'True ReplicaSetUpdated'],
    ['fewer old', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 1, replicas: 3 }, standing(counts(1, 1, 0), counts(1, 1, 0)), 'True ReplicaSetUpdated'],
    ['more ready', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 2, replicas: 2 }, standing(counts(3, 2, 1, 0)), 'True ReplicaSetUpdated'],
    ['more available', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 2, replicas: 2, readyReplicas: 1 }, standing(counts(3, 2, 1, 1)), 'True ReplicaSetUpdated'],
    ['nothing new', {}, { conditions: [progressing('NewReplicaSetCreated')], updatedReplicas: 2, replicas: 2 }, standing(counts(3, 2, 0)), 'True NewReplicaSetCreated'],
    ['nothing new for too long', {}, { conditions: [progressing('ReplicaSetUpdated', 'True', NOW - 60_000)], updatedReplicas: 2, replicas: 2 }, standing(counts(3, 2, 0)), 'False ProgressDeadlineExceeded'],
    ['nothing new for nearly too long', {}, { conditions: [progressing('ReplicaSetUpdated', 'True', NOW - 59_000)], updatedReplicas: 2, replicas: 2 }, standing(counts(3, 2, 0)), 'True ReplicaSetUpdated'],
    ['something new after all', {}, { conditions: [progressing('ProgressDeadlineExceeded', 'False', NOW - 60_000)], updatedReplicas: 2, replicas: 2 }, standing(counts(3, 2, 1, 1)), 'True ReplicaSetUpdated'],
    ['complete once, and its pods break', {}, { conditions: [progressing('NewReplicaSetAvailable', 'True', NOW - 900_000)], updatedReplicas: 3, replicas: 3 }, standing(counts(3, 3, 0)), 'True NewReplicaSetAvailable'],
    ['complete once, and a new template', {}, { conditions: [progressing('NewReplicaSetAvailable', 'True', NOW - 900_000)], updatedReplicas: 3, replicas: 3 }, standing(counts(1, 1, 0), counts(3)), 'True ReplicaSetUpdated'],
    ['paused', { paused: true }, { conditions: [progressing('ReplicaSetUpdated', 'True', NOW - 900_000)] }, standing(counts(3)), 'Unknown DeploymentPaused'],
    ['paused after it failed', { paused: true }, { conditions: [progressing('ProgressDeadlineExceeded', 'False')] }, standing(counts(3)), 'False ProgressDeadlineExceeded'],
    ['resumed', {}, { conditions: [progressing('DeploymentPaused', 'Unknown')] }, standing(counts(3)), 'Unknown DeploymentResumed'],
    ['resumed, and on its way', {}, { conditions: [progressing('DeploymentResumed', 'Unknown')] }, standing(counts(3)), 'True NewReplicaSetAvailable'],
  ])('progresses: %s', (_, change, status, now, expected) => {
    const condition = progressOf(deployment({ ...spec, ...change }, status), now)
    expect(`${condition?.status} ${condition?.reason}`).toBe(expected)
  })

  test('says since when, and when it was last heard of', () => {
    const stuck = {
      updatedReplicas: 2,
      replicas: 2,
      conditions: [progressing('ReplicaSetUpdated', 'True', NOW - 30_000)],
    }
    const of = deployment(spec, stuck)
    expect(progressOf(of, standing(counts(3, 2, 0)))).toStrictEqual(
      progressing('ReplicaSetUpdated', 'True', NOW - 30_000),
    )
    const message = 'ReplicaSet "web-1" is progressing.'
    expect(progressOf(of, standing(counts(3, 2, 1)))).toStrictEqual({
      ...progressing('ReplicaSetUpdated'),
      message,
    })
    const late = deployment({ ...spec, progressDeadlineSeconds: 30 }, stuck)
    expect(progressOf(late, standing(counts(3, 2, 0)))).toMatchObject({
      status: 'False',
      lastUpdateTime: at(NOW),
      lastTransitionTime: at(NOW),
    })
  })

  // prettier-ignore
  test.each<[string, number | undefined, object[]]>([
    ['on its way', NOW + 60_000, [progressing('ReplicaSetUpdated')]],
    ['complete', undefined, [progressing('NewReplicaSetAvailable')]],
    ['failed', undefined, [progressing('ProgressDeadlineExceeded', 'False')]],
    ['paused', undefined, [progressing('DeploymentPaused', 'Unknown')]],
    ['new', undefined, []],
  ])('has a deadline when it is %s: %p', (_, expected, conditions) => {
    expect(progressDeadline(deployment(spec, { conditions }))).toBe(expected)
  })
})
