import { describe, expect, test } from 'bun:test'
import {
  daemonSetRollout,
  deploymentRollout,
  statefulSetRollout,
} from '#src/lib/domain/clusters/rollout-status.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { condition, deployment } from './objects.ts'
import { anyDeployments } from './any-deployment.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { kubectlRolloutStatus, serveRollouts } from './kubectl-rollout.ts'
import { anyDaemonSets, anyStatefulSets } from './any-rollout.ts'

const OUTCOMES = {
  done: { done: true, failed: false },
  failed: { done: false, failed: true },
  waiting: { done: false, failed: false },
} as const
const DEADLINE = condition('Progressing', 'False', 'ProgressDeadlineExceeded')
const observed = 'Waiting for deployment spec update to be observed...'
const unfinished = (what: string) => `Waiting for deployment "shop" rollout to finish: ${what}...`
const DONE = 'deployment "shop" successfully rolled out'

describe('what kubectl says', () => {
  // prettier-ignore
  test.each<[string, KubernetesDeployment, keyof typeof OUTCOMES, string]>([
    ['not seen by the controller',   deployment({ observedGeneration: 1 }, {}, { generation: 2 }),                      'waiting', observed],
    ['never seen by it',             deployment({}, {}, { generation: 2 }),                                             'waiting', observed],
    ['without a status',             { metadata: deployment().metadata, spec: deployment().spec },                      'waiting', observed],
    ['seen further than asked for',  deployment({ observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }), 'done', DONE],
    ['without generations',          { metadata: { name: 'shop', namespace: 'n', uid: 'u', creationTimestamp: '' }, spec: { replicas: 0, template: {} } }, 'done', DONE],
    ['an old failure is not seen',   deployment({ conditions: [DEADLINE] }, {}, { generation: 2 }),                     'waiting', observed],
    ['too late',                     deployment({ conditions: [DEADLINE] }),                                            'failed',  'deployment "shop" exceeded its progress deadline'],
    ['too late, though all is there', deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2, conditions: [DEADLINE] }), 'failed', 'deployment "shop" exceeded its progress deadline'],
    ['the first such condition counts', deployment({ conditions: [condition('Progressing', 'True', 'ReplicaSetUpdated'), DEADLINE] }), 'waiting', unfinished('0 out of 2 new replicas have been updated')],
    ['the reason of another condition', deployment({ conditions: [condition('Available', 'False', 'ProgressDeadlineExceeded')] }), 'waiting', unfinished('0 out of 2 new replicas have been updated')],
    ['nothing updated, zeros left out', deployment({}),                                                                 'waiting', unfinished('0 out of 2 new replicas have been updated')],
    ['some updated',                 deployment({ replicas: 3, updatedReplicas: 1, availableReplicas: 2 }),             'waiting', unfinished('1 out of 2 new replicas have been updated')],
    ['old ones left',                deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 2 }),             'waiting', unfinished('1 old replicas are pending termination')],
    ['old ones left, scaled to zero', deployment({ replicas: 2 }, { replicas: 0 }),                                     'waiting', unfinished('2 old replicas are pending termination')],
    ['not all available',            deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 1 }),             'waiting', unfinished('1 of 2 updated replicas are available')],
    ['none available, left out',     deployment({ replicas: 2, updatedReplicas: 2 }),                                   'waiting', unfinished('0 of 2 updated replicas are available')],
    ['through',                      deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),             'done',    DONE],
    ['through with nothing',         deployment({}, { replicas: 0 }),                                                   'done',    DONE],
    ['through, and paused',          deployment({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }, { paused: true }), 'done', DONE],
    ['paused half way',              deployment({ replicas: 3, updatedReplicas: 1 }, { paused: true }),                 'waiting', unfinished('1 out of 2 new replicas have been updated')],
    ['more than asked for',          deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 }),             'done',    DONE],
    ['how many are wanted is not said', { ...deployment({}), spec: { template: {} } },                                  'done',    DONE],
  ])('%s', (_, object, outcome, message) => {
    expect(deploymentRollout(object)).toStrictEqual({ ...OUTCOMES[outcome], message })
  })
})

test.skipIf(kubectl === null)(
  'is what kubectl says of any deployment',
  async () => {
    const deployments = anyDeployments(80)
    using server = serveRollouts('Deployment', deployments)
    const ours = deployments.map(deploymentRollout)
    const theirs = await kubectlRolloutStatus(server.url, 'Deployment', deployments)
    expect(theirs).toStrictEqual(ours)
    // Every sentence was among them.
    const kinds = new Set(ours.map(({ message }) => message.replaceAll(/"[^"]*"|\d+/g, '')))
    expect(kinds.size).toBe(6)
  },
  60_000,
)

const sentencesOf = (all: readonly { readonly message: string }[]) =>
  new Set(all.map(({ message }) => message.replaceAll(/"[^"]*"|\d+|revision \w*/g, '')))

test.skipIf(kubectl === null)(
  'is what kubectl says of any stateful set',
  async () => {
    const sets = anyStatefulSets(60)
    using server = serveRollouts('StatefulSet', sets)
    const ours = sets.map(statefulSetRollout)
    expect(await kubectlRolloutStatus(server.url, 'StatefulSet', sets)).toStrictEqual(ours)
    expect(sentencesOf(ours).size).toBe(6)
  },
  60_000,
)

test.skipIf(kubectl === null)(
  'is what kubectl says of any daemon set',
  async () => {
    const sets = anyDaemonSets(40)
    using server = serveRollouts('DaemonSet', sets)
    const ours = sets.map(daemonSetRollout)
    expect(await kubectlRolloutStatus(server.url, 'DaemonSet', sets)).toStrictEqual(ours)
    expect(sentencesOf(ours).size).toBe(4)
  },
  60_000,
)
