import { expect, test } from 'bun:test'
import {
  budgetWords,
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
