import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { KUBECTL, openKubectl } from './kubectl.ts'
import { readLines } from './read-lines.ts'

type Kubectl = Awaited<ReturnType<typeof openKubectl>>
let kubectl: Kubectl
/** Each test starts a program, some a dozen times. */
setDefaultTimeout(60_000)

const platform = '--context=platform@dev-east'

const ok = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await kubectl.run(...args)
  expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: '' })
  return stdout
}
const columns = (line: string) => line.split(/ {2,}/)
const names = async (component: string) =>
  (await ok('get', 'pods', '-o', 'name', '-l', `app.kubernetes.io/name=${component}`))
    .trim()
    .split('\n')
    .toSorted()

/** Looks until it is as it should be, for as long as a test may take. */
async function until<Found>(
  look: () => Promise<Found>,
  isRight: (found: Found) => boolean,
): Promise<Found> {
  for (;;) {
    const found = await look()
    if (isRight(found)) return found
    await Bun.sleep(50)
  }
}

if (KUBECTL === null)
  console.warn('skipped: the simulated clusters against kubectl, which is not there')

describe.skipIf(KUBECTL === null)('kubectl', () => {
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
        new Set(['payments-dev', 'shipping-dev']),
      )
      expect(
        rows.find(([, name]) => name?.startsWith('label-printer-'))?.slice(2, 4),
      ).toStrictEqual(['0/1', 'Init:0/1'])
      expect(await ok(platform, 'get', 'namespaces', '-o', 'name')).toContain(
        'namespace/payments-dev\n',
      )
    })

    test('by labels, in pages, as JSON and in other words', async () => {
      const selected = await ok(
        'get',
        'po',
        '-l',
        'app.kubernetes.io/name in (ledger),portico/team=payments',
        '-o',
        'name',
      )
      expect(selected.trim().split('\n')).toHaveLength(2)
      expect(await ok('get', 'pods', '--chunk-size=2', '-o', 'name')).toBe(
        await ok('get', 'pods', '-o', 'name'),
      )
      expect(JSON.parse(await ok('get', 'deploy', 'ledger', '-o', 'json'))).toMatchObject({
        kind: 'Deployment',
        spec: { paused: true },
      })
      const phase = await ok(
        'get',
        'pods',
        '--field-selector=status.phase=Succeeded',
        '-o',
        'jsonpath={.items[*].status.phase}',
      )
      expect(phase).toBe('Succeeded')
      expect(await ok('get', 'all')).toContain('replicaset.apps/checkout-web-')
      expect(await ok('get', 'events', '--sort-by=.lastTimestamp')).toMatch(
        /Warning +BackOff +pod\/payments-api-/,
      )
      const none = await kubectl.run(platform, '-n', 'nowhere', 'get', 'pods')
      expect(none).toMatchObject({
        exitCode: 0,
        stderr: 'No resources found in nowhere namespace.\n',
      })
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

  describe('rollout', () => {
    test('restart replaces every pod, status waits for it, and get -w and wait see it', async () => {
      const before = await names('checkout-web')
      const watching = kubectl.start(
        'get',
        'pods',
        '-w',
        '-l',
        'app.kubernetes.io/name=checkout-web',
      )
      const seen = readLines(watching.stdout)
      await until(seen.all, (lines) => lines.length > before.length)
      expect(await ok('rollout', 'restart', 'deployment/checkout-web')).toBe(
        'deployment.apps/checkout-web restarted\n',
      )
      const status = (await ok('rollout', 'status', 'deployment/checkout-web')).trim().split('\n')
      expect(status.at(-1)).toBe('deployment "checkout-web" successfully rolled out')
      expect(status.length).toBeGreaterThan(2)
      expect(
        await ok('wait', '--for=condition=Available', 'deployment/checkout-web', '--timeout=5s'),
      ).toBe('deployment.apps/checkout-web condition met\n')
      const after = await until(
        () => names('checkout-web'),
        ({ length }) => length === 3,
      )
      expect(after.filter((name) => before.includes(name))).toStrictEqual([])
      const shown = (await seen.all()).join('\n')
      watching.kill()
      for (const state of ['Pending', 'ContainerCreating', 'Terminating']) {
        expect(shown).toContain(` ${state} `)
      }
      for (const name of after) {
        expect(shown).toMatch(new RegExp(`${name.slice('pod/'.length)} +1/1 +Running`))
      }
      expect(await ok('rollout', 'history', 'deployment/checkout-web')).toMatch(/^2 .*\n3 /m)
    })

    test('restart is refused twice in a second, and for what is paused', async () => {
      const again = () => kubectl.run('rollout', 'restart', 'deployment/legacy-billing')
      // Whether two of them meet in one second is a matter of luck.
      const { stderr } = await until(again, ({ exitCode }) => exitCode === 1)
      expect(stderr).toContain('if restart has already been triggered within the past second')
      expect(await kubectl.run('rollout', 'restart', 'deployment/ledger')).toStrictEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'error: deployments.apps "ledger" can\'t restart paused deployment (run rollout resume first)\n',
      })
    })

    test('that failed says so, and goes on with an image that is there', async () => {
      expect(await kubectl.run('rollout', 'status', 'deployment/invoice-service')).toMatchObject({
        exitCode: 1,
        stderr: 'error: deployment "invoice-service" exceeded its progress deadline\n',
      })
      await ok(
        'set',
        'image',
        'deployment/invoice-service',
        'invoice-service=ghcr.io/acme/invoice-service:2.2.4',
      )
      expect(await ok('rollout', 'status', 'deployment/invoice-service')).toEndWith(
        'deployment "invoice-service" successfully rolled out\n',
      )
      const kept = await ok(
        'get',
        'deployment',
        'invoice-service',
        '-o',
        'jsonpath={.spec.template.spec.containers[*].resources.limits.memory}',
      )
      expect(kept).toBe('128Mi')
    })

    test('pause, resume, label, annotate and patch work', async () => {
      await ok('rollout', 'resume', 'deployment/ledger')
      await ok('rollout', 'pause', 'deployment/ledger')
      await ok('annotate', 'deployment/ledger', 'note=checked')
      await ok('label', 'deployment/ledger', 'tier=core')
      expect(await ok('patch', 'deployment', 'ledger', '-p', '{"spec":{"paused":true}}')).toBe(
        'deployment.apps/ledger patched (no change)\n',
      )
      expect(
        await ok(
          'get',
          'deployments',
          '-l',
          'tier=core',
          '-o',
          'jsonpath={.items[*].metadata.annotations.note}',
        ),
      ).toBe('checked')
      expect(
        await kubectl.run('patch', 'deployment', 'ledger', '-p', '{"spec":{"replicas":-1}}'),
      ).toMatchObject({
        exitCode: 1,
        stderr: 'The Deployment "ledger" is invalid: spec.replicas: Invalid value: must be >= 0\n',
      })
    })
  })

  describe('logs', () => {
    test('of a deployment, of one container, of a run before', async () => {
      expect(
        (await ok('logs', '-l', 'app.kubernetes.io/name=checkout-web', '--tail=2'))
          .trim()
          .split('\n'),
      ).toHaveLength(6)
      const [pod = ''] = await names('ledger')
      expect(await ok('logs', pod, '-c', 'postgres-proxy', '--tail=1')).toContain('connection')
      const defaulted = await kubectl.run('logs', pod, '--tail=1', '--timestamps')
      expect(defaulted).toMatchObject({
        exitCode: 0,
        stderr: 'Defaulted container "ledger" out of: ledger, postgres-proxy (init)\n',
      })
      expect(defaulted.stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z time=/)
      const [broken = ''] = await names('payments-api')
      expect(await ok('logs', '--previous', broken)).toMatch(
        /allocation failed, collecting garbage again"\}\n$/,
      )
      expect(await kubectl.run('logs', '--previous', pod, '-c', 'ledger')).toStrictEqual({
        exitCode: 1,
        stdout: '',
        stderr: `Error from server (BadRequest): previous terminated container "ledger" in pod "${pod.slice('pod/'.length)}" not found\n`,
      })
    })

    test('go on until they are stopped', async () => {
      const [pod = ''] = await names('checkout-web')
      const following = kubectl.start('logs', '-f', '--tail=1', pod)
      const { all } = readLines(following.stdout)
      expect((await until(all, ({ length }) => length > 2))[1]).toContain('HTTP/1.1')
      expect(following.exitCode).toBeNull()
      following.kill()
    })
  })

  // prettier-ignore
  test.each([
    [['--context=stranger@dev-east', 'get', 'pods'], 'error: You must be logged in to the server (Unauthorized)'],
    [['--context=outsider@dev-east', 'get', 'pods'], 'Error from server (Forbidden): pods is forbidden: User "outsider" cannot list resource "pods" in API group "" in the namespace "payments-dev"'],
    [['--context=outsider@dev-east', 'rollout', 'restart', 'deployment/ledger'], 'Error from server (Forbidden): deployments.apps "ledger" is forbidden: User "outsider" cannot get resource "deployments" in API group "apps" in the namespace "payments-dev"'],
    [['get', 'pods', '-A'], 'Error from server (Forbidden): pods is forbidden: User "dev" cannot list resource "pods" in API group "" at the cluster scope'],
    [['get', 'namespaces'], 'Error from server (Forbidden): namespaces is forbidden: User "dev" cannot list resource "namespaces" in API group "" at the cluster scope'],
    [['delete', 'pod', 'any'], 'Error from server (Forbidden): pods "any" is forbidden: User "dev" cannot delete resource "pods" in API group "" in the namespace "payments-dev"'],
    [['get', 'pod', 'no-such-pod'], 'Error from server (NotFound): pods "no-such-pod" not found'],
    [['rollout', 'restart', 'deployment/no-such-one'], 'Error from server (NotFound): deployments.apps "no-such-one" not found'],
    [['get', 'secrets'], 'error: the server doesn\'t have a resource type "secrets"'],
  ])('%p is refused', async (args, stderr) => {
    expect(await kubectl.run(...args)).toStrictEqual({ exitCode: 1, stdout: '', stderr: `${stderr}\n` })
  })

  test('does not speak to a server that its authority does not know', async () => {
    const { exitCode, stderr } = await kubectl.runMistrusting('get', 'pods')
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    )
  })
})
