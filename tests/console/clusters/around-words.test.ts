import { expect, test } from 'bun:test'
import {
  budgetWords,
  imageGap,
  probeWords,
  resourceWords,
  scalerWords,
  usageWords,
} from '#src/console/pages/clusters/around-words.ts'

// prettier-ignore
test.each([
  [{ cpu: '50m', memory: '128Mi' }, { memory: '256Mi' }, 'cpu 50m, memory 128Mi to 256Mi'],
  [{ memory: '1Gi' },               { memory: '1Gi' },   'memory 1Gi'],
  [{},                              { cpu: '2' },        'cpu up to 2'],
  [{},                              {},                  'no requests, no limits'],
])('%j and %j are %j', (requests, limits, words) => {
  expect(resourceWords(requests, limits)).toBe(words)
})

// prettier-ignore
test.each([
  [{ cpu: '12345678n', memory: '98304Ki' }, 'uses cpu 12m, memory 96Mi'],
  [{ cpu: '2', memory: '1Gi' },             'uses cpu 2000m, memory 1024Mi'],
  [{ cpu: '500u' },                         'uses cpu 1m'],
  [{ cpu: 'much', memory: '' },             ''],
])('a usage of %j is %j', (usage, words) => {
  expect(usageWords(usage)).toBe(words)
})

const scaler = { name: 'shop', minReplicas: 2, maxReplicas: 10 }

// prettier-ignore
test.each([
  [3,    3,    null,           '2 to 10 replicas, 3 now'],
  [3,    5,    null,           '2 to 10 replicas, 3 now and 5 wanted'],
  [null, null, null,           '2 to 10 replicas'],
  [null, 4,    null,           '2 to 10 replicas, 4 wanted'],
  [10,   10,   'at its limit', '2 to 10 replicas, 10 now: at its limit'],
])('%j of %j with %j is %j', (currentReplicas, desiredReplicas, message, words) => {
  expect(scalerWords({ ...scaler, currentReplicas, desiredReplicas, message })).toBe(words)
})

// prettier-ignore
test.each([
  ['50%', null, '1 may be down now; at least 50% stay'],
  [null,  '2',  '1 may be down now; at most 2 at once'],
  [null,  null, '1 may be down now'],
])('at least %j, at most %j is %j', (minAvailable, maxUnavailable, words) => {
  const counts = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 }
  expect(budgetWords({ name: 'shop', minAvailable, maxUnavailable, ...counts })).toBe(words)
})

test('how a probe asks', () => {
  expect(
    probeWords({
      kind: 'readiness',
      action: 'HTTP GET :8080/readyz',
      initialDelaySeconds: 0,
      periodSeconds: 10,
      timeoutSeconds: 1,
      failureThreshold: 3,
    }),
  ).toBe('readiness: HTTP GET :8080/readyz every 10 s, 3 failures count')
})

const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`]
const running = (digest: string | null, init = false) => ({
  name: 'shop',
  image: 'ghcr.io/acme/shop:1.2',
  digest,
  init,
  sidecar: false,
  ephemeral: false,
  ready: true,
  started: true,
  restarts: 0,
  state: 'running' as const,
  reason: null,
  message: null,
  lastTermination: null,
})

const SHOP = 'ghcr.io/acme/shop'

// prettier-ignore
test.each([
  [{ tag: '1.2', digest: A },    SHOP,                     [running(A)],                    null],
  [{ tag: '1.2', digest: A },    SHOP,                     [running(B)],                    'runs sha256:bbbbbbbbbbbb'],
  [{ tag: '1.2', digest: A },    SHOP,                     [running(B, true), running(A)],  null],
  [{ tag: '1.2', digest: A },    SHOP,                     [running(null)],                 null],
  [{ tag: '1.3', digest: A },    SHOP,                     [running(A)],                    'runs 1.2'],
  [{ tag: '2.15', digest: null }, SHOP,                    [running(A)],                    'runs 1.2'],
  [{ tag: '1.3', digest: A },    'ghcr.io/acme/shop-jobs', [running(B)],                    null],
  [{ tag: '1.3', digest: B },    'docker.io/library/nats', [running(A)],                    null],
  [{ tag: '1.3', digest: B },    undefined,                [running(A)],                    null],
  [{ tag: '1.3', digest: B },    null,                     [running(A)],                    null],
  [{ tag: '1.2', digest: null }, SHOP,                     [running(B)],                    null],
  [null,                         SHOP,                     [running(B)],                    null],
])('of the image %j of %p in git', (image, name, containers, words) => {
  const inGit = { entity: { kind: 'Component', name: 'shop' }, environment: 'dev', image }
  const detail = {
    inGit,
    images: ['ghcr.io/acme/shop:1.2', 'ghcr.io/acme/proxy:2.15'],
    newestPod: { name: 'shop-1', qosClass: null, conditions: [] },
    pods: [{ name: 'shop-1', containers }],
  }
  expect(imageGap(detail as unknown as Parameters<typeof imageGap>[0], name)).toBe(words)
})
