import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { kubectl as program } from '#tests/support/kubectl.ts'
import { type Kubectl, openKubectl } from './kubectl.ts'
import { readLines } from '#tests/support/read-lines.ts'

/** Each test starts a program, some a dozen times. */
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

  describe('rollout', () => {
    test('restart replaces every pod, status waits for it, and get -w and wait see it', async () => {
      const before = await kubectl.names('checkout-web')
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
        () => kubectl.names('checkout-web'),
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
        stderr:
          'The Deployment "ledger" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
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
      const [pod = ''] = await kubectl.names('ledger')
      expect(await ok('logs', pod, '-c', 'postgres-proxy', '--tail=1')).toContain(
        'postgres_proxy::',
      )
      const defaulted = await kubectl.run('logs', pod, '--tail=1', '--timestamps')
      expect(defaulted).toMatchObject({
        exitCode: 0,
        stderr: 'Defaulted container "ledger" out of: ledger, postgres-proxy (init)\n',
      })
      expect(defaulted.stdout).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z time=/)
      const [broken = ''] = await kubectl.names('payments-api')
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
      const [pod = ''] = await kubectl.names('checkout-web')
      const following = kubectl.start('logs', '-f', '--tail=1', pod)
      const { all } = readLines(following.stdout)
      expect((await until(all, ({ length }) => length > 1))[1]).toContain('HTTP/1.1')
      expect(following.exitCode).toBeNull()
      following.kill()
    })
  })
})
