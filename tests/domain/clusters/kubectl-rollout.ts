import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RolloutStatus } from '#src/lib/domain/clusters/rollout-status.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'

const AT_ONCE = 4
const TIMEOUT_MS = 20_000

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

/** What the real kubectl says of each, without waiting. */
export async function kubectlRolloutStatus(
  server: string,
  deployments: readonly KubernetesDeployment[],
): Promise<readonly RolloutStatus[]> {
  const home = await mkdtemp(join(tmpdir(), 'portico-kubectl-'))
  try {
    const answers: RolloutStatus[] = []
    for (let at = 0; at < deployments.length; at += AT_ONCE) {
      const batch = deployments.slice(at, at + AT_ONCE)
      answers.push(...(await Promise.all(batch.map((each) => ask(server, home, each)))))
    }
    return answers
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function ask(
  server: string,
  home: string,
  { metadata: { name, namespace } }: KubernetesDeployment,
): Promise<RolloutStatus> {
  const where = ['--server', server, '--namespace', namespace, '--cache-dir', join(home, 'cache')]
  const run = Bun.spawn(
    ['kubectl', ...where, 'rollout', 'status', `deployment/${name}`, '--watch=false'],
    {
      stderr: 'pipe',
      timeout: TIMEOUT_MS,
      env: { PATH: Bun.env['PATH'], HOME: home, KUBECONFIG: '/dev/null' },
    },
  )
  const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text()])
  if ((await run.exited) !== 0) {
    return { done: false, failed: true, message: stderr.trim().replace(/^error: /, '') }
  }
  const message = stdout.trim()
  const done = message.endsWith('successfully rolled out')
  return { done, failed: false, message }
}
