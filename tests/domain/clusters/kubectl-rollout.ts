import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RolloutStatus } from '#src/lib/domain/clusters/rollout-status.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'

const RUNS_AT_ONCE = 2
/** More deployments in one run would exceed kubectl's burst of requests and make it wait. */
const PER_RUN = 5
const TIMEOUT_MS = 60_000

/** As much of an API server as `kubectl rollout status` asks for, over plain HTTP. */
export function serveDeployments(deployments: readonly KubernetesDeployment[]) {
  const objects = deployments.map((each) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    ...each,
    metadata: { resourceVersion: '7', ...each.metadata },
  }))
  const notFound = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }
  const listOf = (selector: string) => ({
    kind: 'DeploymentList',
    apiVersion: 'apps/v1',
    metadata: { resourceVersion: '7' },
    items: objects.filter(({ metadata }) => selector === `metadata.name=${metadata.name}`),
  })

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const discovered = DISCOVERY[pathname]
      if (discovered !== undefined) return Response.json(discovered)
      const [, namespace, name] = PATH.exec(pathname) ?? []
      if (namespace === undefined) return Response.json(notFound, { status: 404 })
      if (searchParams.has('watch')) return new Response(silence(), { headers: JSON_HEADERS })
      if (name === undefined) {
        return Response.json(listOf(searchParams.get('fieldSelector') ?? ''))
      }
      const object = objects.find(({ metadata }) => metadata.name === name)
      return Response.json(object ?? notFound, { status: object === undefined ? 404 : 200 })
    },
  })
  return { url: server.url.origin, [Symbol.dispose]: () => void server.stop(true) }
}

const PATH = /^\/apis\/apps\/v1\/namespaces\/([^/]+)\/deployments(?:\/([^/]+))?$/
const JSON_HEADERS = { 'content-type': 'application/json' }

/** A watch in which nothing happens. The headers are sent with the first byte. */
const silence = () =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('\n')) })

const APPS = { groupVersion: 'apps/v1', version: 'v1' }
const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/version': { major: '1', minor: '32', gitVersion: 'v1.32.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [{ name: 'apps', versions: [APPS], preferredVersion: APPS }],
  },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    groupVersion: 'apps/v1',
    resources: [
      {
        name: 'deployments',
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
}

/** The rollout status that the real kubectl prints for each deployment. */
export async function kubectlRolloutStatus(
  server: string,
  deployments: readonly KubernetesDeployment[],
): Promise<readonly RolloutStatus[]> {
  const home = await mkdtemp(join(tmpdir(), 'portico-kubectl-'))
  try {
    const statuses: RolloutStatus[] = []
    for (let at = 0; at < deployments.length; at += RUNS_AT_ONCE * PER_RUN) {
      const runs = Array.from({ length: RUNS_AT_ONCE }, (_, run) => {
        const start = at + run * PER_RUN
        return runKubectl(server, home, deployments.slice(start, start + PER_RUN))
      })
      statuses.push(...(await Promise.all(runs)).flat())
    }
    return statuses
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function runKubectl(
  server: string,
  home: string,
  deployments: readonly KubernetesDeployment[],
): Promise<readonly RolloutStatus[]> {
  const [first] = deployments
  if (first === undefined) return []
  const names = deployments.map(({ metadata }) => metadata.name)
  const run = Bun.spawn(
    [
      'kubectl',
      `--server=${server}`,
      `--namespace=${first.metadata.namespace}`,
      `--cache-dir=${join(home, 'cache')}`,
      'rollout',
      'status',
      '--watch=false',
      ...names.map((name) => `deployment/${name}`),
    ],
    {
      stderr: 'pipe',
      timeout: TIMEOUT_MS,
      env: { PATH: Bun.env['PATH'], HOME: home, KUBECONFIG: '/dev/null' },
    },
  )
  const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text()])
  await run.exited
  return statusesOf(names, stdout.trim().split('\n'), stderr)
}

/** kubectl prints a line for each deployment in turn, except for failures: those go to stderr. */
function statusesOf(
  names: readonly string[],
  lines: string[],
  stderr: string,
): readonly RolloutStatus[] {
  const failures = [...stderr.matchAll(/deployment "([^"]+)" [^\n,\]]+/g)]
  return names.map((name) => {
    const failure = failures.find(([, failed]) => failed === name)
    if (failure !== undefined) return { done: false, failed: true, message: failure[0] }
    const message = lines.shift() ?? ''
    return { done: message.endsWith('successfully rolled out'), failed: false, message }
  })
}
