import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RolloutStatus } from '#src/lib/domain/clusters/rollout-status.ts'

const RUNS_AT_ONCE = 2
/** More deployments in one run would exceed kubectl's burst of requests and make it wait. */
const PER_RUN = 5
const TIMEOUT_MS = 60_000

interface RolledOut {
  readonly metadata: { readonly name: string; readonly namespace: string }
}

/** The kinds that `kubectl rollout status` knows. */
export type RolloutKind = 'Deployment' | 'StatefulSet' | 'DaemonSet'

/** As much of an API server as `kubectl rollout status` asks for, over plain HTTP. */
export function serveRollouts(kind: RolloutKind, served: readonly RolledOut[]) {
  const objects = served.map((each) => ({
    apiVersion: 'apps/v1',
    kind,
    ...each,
    metadata: { resourceVersion: '7', ...each.metadata },
  }))
  const notFound = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }
  const listOf = (selector: string) => ({
    kind: `${kind}List`,
    apiVersion: 'apps/v1',
    metadata: { resourceVersion: '7' },
    items: objects.filter(({ metadata }) => selector === `metadata.name=${metadata.name}`),
  })

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const discovered = discovery(kind)[pathname]
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

const PATH = /^\/apis\/apps\/v1\/namespaces\/([^/]+)\/\w+(?:\/([^/]+))?$/
const JSON_HEADERS = { 'content-type': 'application/json' }

/** A watch in which nothing happens. The headers are sent with the first byte. */
const silence = () =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('\n')) })

const APPS = { groupVersion: 'apps/v1', version: 'v1' }
const discovery = (kind: RolloutKind): Readonly<Record<string, unknown>> => ({
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
        name: `${kind.toLowerCase()}s`,
        singularName: kind.toLowerCase(),
        namespaced: true,
        kind,
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
})

/** The rollout status that the real kubectl prints for each object. */
export async function kubectlRolloutStatus(
  server: string,
  kind: RolloutKind,
  objects: readonly RolledOut[],
): Promise<readonly RolloutStatus[]> {
  const home = await mkdtemp(join(tmpdir(), 'portico-kubectl-'))
  try {
    const statuses: RolloutStatus[] = []
    for (let at = 0; at < objects.length; at += RUNS_AT_ONCE * PER_RUN) {
      const runs = Array.from({ length: RUNS_AT_ONCE }, (_, run) => {
        const start = at + run * PER_RUN
        return runKubectl(server, home, kind, objects.slice(start, start + PER_RUN))
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
  kind: RolloutKind,
  objects: readonly RolledOut[],
): Promise<readonly RolloutStatus[]> {
  const [first] = objects
  if (first === undefined) return []
  const names = objects.map(({ metadata }) => metadata.name)
  const run = Bun.spawn(
    [
      'kubectl',
      `--server=${server}`,
      `--namespace=${first.metadata.namespace}`,
      `--cache-dir=${join(home, 'cache')}`,
      'rollout',
      'status',
      '--watch=false',
      ...names.map((name) => `${kind.toLowerCase()}/${name}`),
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

const DONE = /successfully rolled out$|roll out complete|rolling update complete/

/** kubectl prints a line for each object in turn, except for failures: those go to stderr. */
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
    return { done: DONE.test(message), failed: false, message }
  })
}
