import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { kubectl as program } from '#tests/support/kubectl.ts'
import { type Kubectl, openKubectl } from './kubectl.ts'

/** Each test starts a program, some a dozen times. */
const platform = '--context=platform@dev-east'
const columns = (line: string) => line.split(/ {2,}/)

describe.skipIf(program === null)('kubectl', () => {
  let kubectl: Kubectl
  const ok = (...args: readonly string[]) => kubectl.ok(...args)
  beforeAll(async () => {
    kubectl = await openKubectl()
  })
  afterAll(async () => {
    expect(kubectl.bugs).toStrictEqual([])
    await kubectl[Symbol.asyncDispose]()
  })

  describe('get', () => {
    test('pods and deployments, wide', async () => {
      const text = await ok('get', 'pods,deployments', '-o', 'wide')
      const [pods = '', deployments = ''] = text.split('\n\n')
      const [head = '', ...rows] = pods.split('\n')
      expect(columns(head)).toStrictEqual([
        'NAME',
        'READY',
        'STATUS',
        'RESTARTS',
        'AGE',
        'IP',
        'NODE',
        'NOMINATED NODE',
        'READINESS GATES',
      ])
      const [name, ...cells] = columns(
        rows.find((row) => row.startsWith('pod/checkout-web-')) ?? '',
      )
      expect(name).toMatch(/^pod\/checkout-web-[b-z2-9]{8,10}-[b-z2-9]{5}$/)
      expect(cells).toStrictEqual([
        '1/1',
        'Running',
        '0',
        '26h',
        expect.stringMatching(/^10\.42\./),
        expect.stringMatching(/^dev-east-worker-/),
        '<none>',
        '<none>',
      ])
      expect(deployments.split('\n').map(columns)).toContainEqual([
        'deployment.apps/invoice-service',
        '2/2',
        '1',
        '2',
        '7d22h',
        'invoice-service',
        'ghcr.io/acme/invoice-service:2.3.0',
        'app.kubernetes.io/name=invoice-service',
      ])
    })

    test('pods of all namespaces, for those who may', async () => {
      const rows = (await ok(platform, 'get', 'pods', '-A')).trim().split('\n').map(columns)
      expect(rows[0]).toStrictEqual(['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'])
      expect(new Set(rows.slice(1).map(([namespace]) => namespace))).toStrictEqual(
        new Set(['payments-dev', 'payments-staging', 'shipping-dev', 'shipping-staging']),
      )
      expect(
        rows.find(([, name]) => name?.startsWith('label-printer-'))?.slice(2, 4),
      ).toStrictEqual(['0/1', 'Init:0/1'])
      expect(await ok(platform, 'get', 'namespaces', '-o', 'name')).toContain(
        'namespace/payments-dev\n',
      )
    })

    test('by labels, of all kinds, and in order', async () => {
      const selected = await ok(
        'get',
        'po',
        '-l',
        'app.kubernetes.io/name in (ledger),portico/team=payments',
        '-o',
        'name',
      )
      expect(selected.trim().split('\n')).toHaveLength(2)
      expect(await ok('get', 'all')).toContain('replicaset.apps/checkout-web-')
      expect(await ok('get', 'events', '--sort-by=.lastTimestamp')).toMatch(
        /Warning +BackOff +pod\/payments-api-/,
      )
    })
  })

  test('describe shows what is wrong, and the events', async () => {
    const pod = await ok('describe', 'pod', '-l', 'app.kubernetes.io/name=payments-api')
    expect(pod).toMatch(/Last State: +Terminated\n +Reason: +OOMKilled\n +Exit Code: +137/)
    expect(pod).toMatch(
      /Warning +BackOff .* Back-off restarting failed container payments-api in pod payments-api-/,
    )
    expect(pod).toMatch(/Controlled By: +ReplicaSet\/payments-api-/)
    const deployment = await ok('describe', 'deployment', 'payments-api')
    expect(deployment).toContain('Replicas:               2 desired | 2 updated | 2 total |')
    expect(deployment).toMatch(/NewReplicaSet: +payments-api-\w+ \(2\/2 replicas created\)/)
    expect(deployment).toMatch(
      /Normal +ScalingReplicaSet .* Scaled up replica set payments-api-\w+ from 1 to 2/,
    )
  })

  test('knows of no secrets', async () => {
    expect(await kubectl.run('get', 'secrets')).toStrictEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: the server doesn\'t have a resource type "secrets"\n',
    })
  })

  test('does not speak to a server that its authority does not know', async () => {
    const { exitCode, stderr } = await kubectl.runMistrusting('get', 'pods')
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    )
  })
})
