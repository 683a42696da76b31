import { test } from 'bun:test'
import { people } from '#src/demo/people.ts'
import { apiServerContract } from '#tests/contracts/api-server.ts'
import { openSimulation } from '#tests/demo/clusters/open-simulation.ts'
import {
  controlPlane,
  type KubeApiServer,
  startKubeApiServer,
} from '#tests/peers/kube-apiserver.ts'
import { copyCluster } from './copy-cluster.ts'

const users = Object.values(people).map(({ id, groups }) => ({ token: id, name: id, groups }))

/** The roles and bindings of the demo's clusters, as RBAC has them. */
async function bindRoles({ ask }: KubeApiServer): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const read = ['get', 'list', 'watch']
  const rule = (group: string, resources: string[], verbs: string[]) => ({
    apiGroups: [group],
    resources,
    verbs,
  })
  const binding = (kind: string, metadata: object, role: string, groups: readonly string[]) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: groups.map((name) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'Group',
      name,
    })),
  })
  await ask('POST', `${rbac}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'team' },
    rules: [
      rule('', ['pods', 'pods/log', 'events'], read),
      rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], read),
      rule('batch', ['jobs', 'cronjobs'], read),
      rule('apps', ['deployments'], ['patch']),
    ],
  })
  await ask(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('ClusterRoleBinding', { name: 'platform' }, 'cluster-admin', people.platform.groups),
  )
  for (const [namespace, groups] of [
    ['payments-dev', people.dev.groups],
    ['shipping-dev', people.outsider.groups],
  ] as const) {
    await ask(
      'POST',
      `${rbac}/namespaces/${namespace}/rolebindings`,
      binding('RoleBinding', { name: 'team', namespace }, 'team', groups),
    )
  }
}

/** The authorizer reads bindings a moment after they are stored. */
async function untilBound({ url, authority }: KubeApiServer): Promise<void> {
  for (const [person, path] of [
    ['platform', '/api/v1/pods'],
    ['dev', '/api/v1/namespaces/payments-dev/pods'],
    ['outsider', '/api/v1/namespaces/shipping-dev/pods'],
  ]) {
    const may = async () => {
      const headers = { authorization: `Bearer ${person}` }
      return (await fetch(`${url}${path}`, { headers, tls: { ca: authority } })).ok
    }
    while (!(await may())) await Bun.sleep(50)
  }
}

if (controlPlane === undefined) {
  test.skip('a real API server (KUBE_APISERVER and ETCD name the programs)', () => {})
} else {
  const programs = controlPlane
  apiServerContract('kube-apiserver', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startKubeApiServer(programs, users))
    await copyCluster(server, openSimulation().store)
    await bindRoles(server)
    await server.restart()
    await untilBound(server)
    stack.move()
    return server
  })
}
