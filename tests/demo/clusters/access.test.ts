import { describe, expect, test } from 'bun:test'
import { createAuthorizer } from '#src/demo/clusters/access.ts'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import { openSimulation } from './open-simulation.ts'

const PODS = '/api/v1/namespaces/payments-dev/pods'

describe('who asks', () => {
  test.each(['/readyz', '/livez', '/healthz'])('%s is for everybody', async (path) => {
    const { ask } = openSimulation()
    const answer = await ask(null, path)
    expect([answer.status, await answer.text()]).toStrictEqual([200, 'ok'])
  })

  test('so is the version', async () => {
    expect(await (await openSimulation().ask(null, '/version')).json()).toMatchObject({
      major: '1',
      minor: '32',
    })
  })

  test.each([
    [null, '/api'],
    [null, PODS],
    [null, '/'],
    ['stranger', PODS],
    ['stranger', '/readyz'],
    ['', PODS],
    ['dev x', PODS],
  ])('%p at %s is nobody', async (token, path) => {
    const { ask } = openSimulation()
    const answer = await ask(
      null,
      path,
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
    expect(answer.status).toBe(401)
    expect(await answer.json()).toStrictEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    })
  })

  test('does not accept a password', async () => {
    const headers = { authorization: `Basic ${btoa('dev:demo')}` }
    expect((await openSimulation().ask(null, PODS, { headers })).status).toBe(401)
  })
})

describe('who may', () => {
  const DEPLOYMENT = '/apis/apps/v1/namespaces/payments-dev/deployments/ledger'
  // prettier-ignore
  test.each([
    ['dev', 'GET', PODS, 200], ['manager', 'GET', PODS, 200], ['platform', 'GET', PODS, 200], ['outsider', 'GET', PODS, 403],
    ['outsider', 'GET', '/api/v1/namespaces/shipping-dev/pods', 200], ['dev', 'GET', '/api/v1/namespaces/shipping-dev/pods', 403],
    ['dev', 'GET', `${PODS}?watch=true&resourceVersion=99999999999999`, 200], ['outsider', 'GET', `${PODS}?watch=true`, 403],
    ['dev', 'GET', '/api/v1/pods', 403], ['platform', 'GET', '/api/v1/pods', 200],
    ['dev', 'GET', '/api/v1/namespaces', 403], ['platform', 'GET', '/api/v1/namespaces', 200],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev', 403], ['platform', 'GET', '/api/v1/namespaces/payments-dev', 200],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev/events', 200], ['dev', 'GET', '/apis/apps/v1/namespaces/payments-dev/replicasets', 200],
    ['dev', 'GET', DEPLOYMENT, 200], ['outsider', 'GET', DEPLOYMENT, 403],
    ['dev', 'PATCH', DEPLOYMENT, 415], ['outsider', 'PATCH', DEPLOYMENT, 403],
    ['dev', 'PATCH', `${PODS}/x`, 403], ['platform', 'PATCH', `${PODS}/x`, 415],
    ['dev', 'DELETE', `${PODS}/x`, 403], ['platform', 'DELETE', `${PODS}/x`, 405], ['platform', 'DELETE', PODS, 405],
    ['dev', 'POST', PODS, 403], ['platform', 'POST', PODS, 405], ['platform', 'PUT', DEPLOYMENT, 405],
    ['dev', 'GET', '/api/v1/namespaces/payments-dev/secrets', 403], ['platform', 'GET', '/api/v1/namespaces/payments-dev/secrets', 404],
    ['dev', 'GET', `${PODS}/x/log`, 404], ['outsider', 'GET', `${PODS}/x/log`, 403], ['platform', 'GET', `${PODS}/x/exec`, 404], ['platform', 'PATCH', `${PODS}/x/log`, 405], ['platform', 'GET', `${DEPLOYMENT}/scale`, 404],
    ['dev', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 403], ['platform', 'GET', '/apis/apps/v1/namespaces/payments-dev/pods', 404],
    ['dev', 'GET', '/api/v1/namespaces/nowhere/pods', 403], ['platform', 'GET', '/api/v1/namespaces/nowhere/pods', 200],
  ])('%s %s %s: %d', async (person, method, path, status) => {
    expect((await openSimulation().ask(person, path, { method })).status).toBe(status)
  })

  // prettier-ignore
  test.each([
    ['GET', PODS, 'pods is forbidden: User "outsider" cannot list resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
    ['GET', '/api/v1/pods?watch=1', 'pods is forbidden: User "outsider" cannot watch resource "pods" in API group "" at the cluster scope', { kind: 'pods' }],
    ['GET', `${PODS}/no-such-pod`, 'pods "no-such-pod" is forbidden: User "outsider" cannot get resource "pods" in API group "" in the namespace "payments-dev"', { name: 'no-such-pod', kind: 'pods' }],
    ['GET', `${PODS}/p/log`, 'pods "p" is forbidden: User "outsider" cannot get resource "pods/log" in API group "" in the namespace "payments-dev"', { name: 'p', kind: 'pods' }],
    ['PATCH', DEPLOYMENT, 'deployments.apps "ledger" is forbidden: User "outsider" cannot patch resource "deployments" in API group "apps" in the namespace "payments-dev"', { name: 'ledger', group: 'apps', kind: 'deployments' }],
    ['GET', '/apis/apps/v1/namespaces/payments-dev/deployments?fieldSelector=metadata.name%3Dledger', 'deployments.apps "ledger" is forbidden: User "outsider" cannot list resource "deployments" in API group "apps" in the namespace "payments-dev"', { name: 'ledger', group: 'apps', kind: 'deployments' }],
    ['GET', '/api/v1/namespaces/payments-dev', 'namespaces "payments-dev" is forbidden: User "outsider" cannot get resource "namespaces" in API group "" in the namespace "payments-dev"', { name: 'payments-dev', kind: 'namespaces' }],
    ['POST', PODS, 'pods is forbidden: User "outsider" cannot create resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
    ['DELETE', PODS, 'pods is forbidden: User "outsider" cannot deletecollection resource "pods" in API group "" in the namespace "payments-dev"', { kind: 'pods' }],
  ])('the refusal of %s %s says what is missing', async (method, path, message, details) => {
    const answer = await openSimulation().ask('outsider', path, { method })
    expect(await answer.json()).toStrictEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details,
      code: 403,
    })
  })

  test('managers may no more than their team', async () => {
    const { ask } = openSimulation(clusters['prod-west'])
    const statuses = ['dev', 'manager', 'outsider'].map(
      async (person) => (await ask(person, '/api/v1/namespaces/payments/pods')).status,
    )
    expect(await Promise.all(statuses)).toStrictEqual([200, 200, 403])
  })
})

test('a group that is not bound to anything takes nothing away', () => {
  const attributes = {
    verb: 'list',
    group: '',
    resource: 'pods',
    subresource: undefined,
    name: undefined,
  }
  const { store } = openSimulation([...clusters['dev-east'], ...clusters['prod-west']])
  const may = (groups: string[], namespace: string) =>
    createAuthorizer(store)({ username: 'x', groups }, { ...attributes, namespace })
  expect(may(['everybody', 'shipping'], 'shipping')).toBe(true)
  expect(may(['everybody', 'toString'], 'shipping')).toBe(false)
  expect(may(['payments:Managers'], 'payments-dev')).toBe(true)
  expect(may([], 'payments-dev')).toBe(false)
})
