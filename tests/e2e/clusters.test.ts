import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { DeploymentView } from '#src/lib/domain/clusters/deployment.ts'
import { eventsOf } from '#tests/support/event-stream.ts'
import {
  asPrintedDeployment,
  asPrintedPod,
  kubectl as program,
  kubectlWith,
  printedDeployments,
  printedPods,
} from '#tests/support/kubectl.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

/** What our API answers and what the real `kubectl` prints of the same clusters, in the demo's own process. */
const hasKubectl = program !== null

interface PodBody {
  readonly name: string
  readonly status: string
  readonly ready: { readonly ready: number; readonly total: number }
  readonly restarts: number
  readonly node: string | null
  readonly podIP: string | null
  readonly lastTermination: { readonly reason: string; readonly exitCode: number } | null
}

interface DeploymentBody {
  readonly name: string
  readonly status: string
  readonly statusMessage: string
  readonly replicas: DeploymentView['replicas']
}

const PLACES = [
  ['dev', 'dev-east', 'payments-dev'],
  ['outsider', 'dev-east', 'shipping-dev'],
  ['manager', 'prod-west', 'payments'],
  ['platform', 'prod-west', 'shipping'],
  ['platform', 'dev-east', 'payments-dev'],
] as const

let demo: PorticoProcess
const cookies = new Map<string, string>()

beforeAll(async () => {
  demo = await startPortico(['demo'], { PORT: '0', DATA_DIR: directory })
})
afterAll(async () => {
  await demo.end('SIGTERM')
})
// Hooks run in the order of their registration: the folder goes last.
const directory = folderOfTests()

async function cookieOf(person: string): Promise<string> {
  const known = cookies.get(person)
  if (known !== undefined) return known
  const response = await fetch(`${demo.url}/dev/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ user: person }),
    redirect: 'manual',
  })
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  cookies.set(person, cookie)
  return cookie
}

const ask = async (person: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${demo.url}/api/v1/clusters/${path}`, {
    ...init,
    headers: { cookie: await cookieOf(person) },
  })

const kubectl = (person: string, cluster: string, ...args: string[]) =>
  kubectlWith(directory, join(directory, 'kubeconfig')).run(
    '--context',
    `${person}@${cluster}`,
    ...args,
  )

describe.skipIf(!hasKubectl)('kubectl and our API agree', () => {
  test.each(PLACES)('pod by pod: %s in %s, %s', async (person, cluster, namespace) => {
    const pods = (await (
      await ask(person, `${cluster}/namespaces/${namespace}/pods`)
    ).json()) as PodBody[]
    const { stdout } = await kubectl(
      person,
      cluster,
      'get',
      'pods',
      '-n',
      namespace,
      '-o',
      'wide',
      '--no-headers',
    )
    expect(pods.length).toBeGreaterThan(2)
    expect(pods.map(asPrintedPod)).toStrictEqual(printedPods(stdout))
  })

  test.each(PLACES)(
    'deployment by deployment: %s in %s, %s',
    async (person, cluster, namespace) => {
      const deployments = (await (
        await ask(person, `${cluster}/namespaces/${namespace}/deployments`)
      ).json()) as DeploymentBody[]
      const { stdout } = await kubectl(
        person,
        cluster,
        'get',
        'deployments',
        '-n',
        namespace,
        '--no-headers',
      )
      expect(deployments.map(asPrintedDeployment)).toStrictEqual(printedDeployments(stdout))
      for (const { name, statusMessage } of deployments) {
        const rollout = await kubectl(
          person,
          cluster,
          'rollout',
          'status',
          `deployment/${name}`,
          '-n',
          namespace,
          '--watch=false',
        )
        expect(`${rollout.stdout}${rollout.stderr}`.trim().replace(/^error: /, '')).toBe(
          statusMessage,
        )
      }
    },
  )

  test('what may not be seen is refused in the same words', async () => {
    const refused = await ask('dev', 'dev-east/namespaces/shipping-dev/pods')
    const { detail } = (await refused.json()) as { detail: string }
    const { stderr } = await kubectl('dev', 'dev-east', 'get', 'pods', '-n', 'shipping-dev')
    expect(refused.status).toBe(403)
    expect(stderr.trim()).toBe(`Error from server (Forbidden): ${detail}`)
  })

  test('a log, of this run and the one before', async () => {
    const place = 'dev-east/namespaces/payments-dev/pods'
    const pods = (await (await ask('dev', place)).json()) as PodBody[]
    const crashing = pods.find(({ status }) => status === 'CrashLoopBackOff')
    expect(crashing?.lastTermination).toMatchObject({ reason: 'OOMKilled', exitCode: 137 })
    for (const previous of [false, true]) {
      const ours = await ask(
        'dev',
        `${place}/${crashing?.name}/log?tailLines=5&previous=${previous}`,
      )
      const theirs = await kubectl(
        'dev',
        'dev-east',
        'logs',
        crashing?.name ?? '',
        '--tail=5',
        ...(previous ? ['-p'] : []),
      )
      const text = await ours.text()
      expect(text).toBe(theirs.stdout)
      expect(text.split('\n').length).toBeGreaterThan(2)
    }
  })
})

describe('a restart', () => {
  test('rolls the deployment, as the watch tells', async () => {
    const place = 'dev-east/namespaces/payments-dev'
    const before = (await (await ask('dev', `${place}/pods`)).json()) as PodBody[]
    const old = before.filter(({ name }) => name.startsWith('checkout-web-'))
    const watch = await ask('dev', `${place}/deployments?watch=true`)
    const events = eventsOf(watch)
    expect((await events.next()).value).toMatchObject({ event: 'snapshot' })
    const restarted = await ask('dev', `${place}/deployments/checkout-web/restart`, {
      method: 'POST',
    })
    expect(restarted.status).toBe(202)
    const { generation } = (await restarted.json()) as { generation: number }

    const seen: string[] = []
    for await (const { event, data } of events) {
      if (event !== 'set' || data['name'] !== 'checkout-web') continue
      seen.push(String(data['status']))
      if (data['observedGeneration'] === generation && data['status'] === 'Available') break
    }
    expect(seen).toContain('Progressing')
    const after = (await (
      await ask('dev', `${place}/pods?labelSelector=app.kubernetes.io/name=checkout-web`)
    ).json()) as PodBody[]
    const running = after.filter(({ status }) => status !== 'Terminating')
    expect(running).toHaveLength(old.length)
    for (const { name } of old) expect(running.map((pod) => pod.name)).not.toContain(name)
    if (!hasKubectl) return
    const { stdout } = await kubectl(
      'dev',
      'dev-east',
      'rollout',
      'status',
      'deployment/checkout-web',
      '--timeout=20s',
    )
    expect(stdout).toBe('deployment "checkout-web" successfully rolled out\n')
  })
})
