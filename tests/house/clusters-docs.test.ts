import { expect, test } from 'bun:test'
import { ClusterRole } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRole'
import { RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/RoleBinding'
import { parseRegistry } from '#src/lib/domain/clusters/registry.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { readNeighbours } from '#src/lib/domain/clusters/workloads/neighbours.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { KubernetesRolledOut } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok } from '#src/lib/result.ts'
import { readYaml } from '#src/lib/yaml/read.ts'
import { calls, clusters, list, NAME } from '#tests/adapters/clusters/calls.ts'
import { deployment } from '#tests/domain/clusters/objects.ts'
import { apiServer, type Sent } from '#tests/support/api-server.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { readPage } from '#tests/support/docs-page.ts'

const page = await readPage('clusters.md')
const files = page.files()

function documentsIn(path: string): readonly unknown[] {
  const reading = readYaml(files.get(path) ?? '')
  if (!reading.ok) throw new Error(`${path}: ${reading.error.message}`)
  return reading.value.documents.map(({ value }) => value)
}

test('the registry of the page is one that the service takes', async () => {
  const { pem } = await makeAuthority()
  const parsed = parseRegistry(files.get('/etc/portico/files/clusters.yaml') ?? '', {
    readFile: (path) => (path === '/etc/portico/ca/prod-eu.pem' ? ok(pem) : err('ENOENT')),
    nowMs: Date.now(),
    environments: [EnvironmentName.of('production')],
  })
  expect(parsed).toMatchObject({
    ok: true,
    value: [{ id: 'prod-eu', auth: { mode: 'exchange', audience: 'k8s-prod-eu' } }],
  })
})

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

test('the rights of the page are objects of Kubernetes, and exactly what Portico calls', async () => {
  const [role, binding] = documentsIn('rights.yaml') as [{ rules: readonly Rule[] }, object]
  new ClusterRole(role as never).validate()
  new RoleBinding(binding as never).validate()
  const granted = role.rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => `${verb} ${resource} ${apiGroups.join()}`.trim()),
    ),
  )

  await using server = await apiServer((_, { path }) => {
    if (path.endsWith('/log')) return new Response('a line\n')
    if (path.endsWith('/selfsubjectaccessreviews'))
      return Response.json({ status: { allowed: true } })
    return path.endsWith(`/${NAME}`) ? Response.json(deployment()) : list([])
  })
  for (const [, call] of calls) await call(server.access)
  await clusters.pods.read(server.access, NAME)
  for (const row of Object.values(RESOURCES)) {
    const source = row.sourceIn(clusters)
    await source.read(server.access, NAME)
    await source.list(server.access, null)
    const from = { resourceVersion: '7', labelSelector: null }
    for await (const _ of source.watch(server.access, from)) continue
    if (!row.restarts) continue
    const workloads = clusters.objects({ ...row, schema: KubernetesRolledOut })
    await workloads.read(server.access, NAME)
    await workloads.restart(server.access, NAME, '2026-11-21T09:30:00Z')
  }
  const root = { kind: 'StatefulSet', name: NAME, uid: 's-1', revision: null }
  const around = { root, labels: [], claims: new Set(['data']), measured: NAME }
  await readNeighbours(clusters, server.access, around, async (_, reading) => {
    await reading
    return null
  })
  const used = new Set(server.sent.filter(({ path }) => !NOT_OF_A_ROLE.has(path)).map(rightOf))
  expect([...used].toSorted()).toStrictEqual(granted.toSorted())
})

/** Everybody has the right to the first (ClusterRole `system:basic-user`), and nobody needs the right to the second. */
const NOT_OF_A_ROLE: ReadonlySet<string> = new Set([
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/api/v1/namespaces',
])

/** The right that an API server asks its authorizer for, as `verb resource group`. */
function rightOf({ method, path, query }: Sent): string {
  const [, group, resource = '', name, part] =
    /^\/(?:api\/v1|apis\/([\w.]+)\/v\d\w*)\/namespaces\/[^/]+\/(\w+)(?:\/([^/]+)(?:\/(\w+))?)?$/.exec(
      path,
    ) ?? []
  const reads = query['watch'] === undefined ? 'list' : 'watch'
  const verb = method === 'PATCH' ? 'patch' : name === undefined ? reads : 'get'
  return [verb, part === undefined ? resource : `${resource}/${part}`, group ?? ''].join(' ').trim()
}
