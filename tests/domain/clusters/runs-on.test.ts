import { expect, test } from 'bun:test'
import { readRunsOn } from '#src/lib/domain/clusters/runs-on.ts'
import { AppName, EnvironmentName, Label, TeamName } from '#src/lib/names.ts'
import { clusterOf, clusterRequest, environmentRow } from './cluster-request.ts'

const DEV = environmentRow('dev', '{team}-dev')
const HEALTH = { status: 'Ready', statusReason: null, checkedAt: 0, version: null } as const

async function runsOn(namespace: string | null = null) {
  const asked: string[] = []
  const found = await readRunsOn(
    {
      clusters: [
        clusterOf('east', { environments: [DEV] }),
        clusterOf('west', { environments: [environmentRow('dev', 'shared')] }),
        clusterOf('dark', { environments: [DEV] }),
        clusterOf('slow', { environments: [DEV] }),
        clusterOf('prod', { environments: [environmentRow('production', '{team}')] }),
      ],
      reviews: {
        async glance(_, __, { id }, at, { verb, resource }) {
          asked.push(`${verb} ${resource} ${id} ${at}`)
          return id === 'slow' ? null : id === 'east' && verb === 'list'
        },
      },
      healthOf: ({ id }) => (id === 'dark' ? { ...HEALTH, status: 'Unreachable' } : HEALTH),
    },
    clusterRequest(),
    [
      {
        environment: EnvironmentName.of('dev'),
        team: TeamName.of('payments'),
        app: AppName.of('shop'),
        namespace: namespace === null ? null : Label.of(namespace),
      },
    ],
  )
  const rows = found.get(EnvironmentName.of('dev')) ?? []
  return { asked, rows }
}

test('an environment runs on the clusters that carry it, in the namespaces of their patterns', async () => {
  const { asked, rows } = await runsOn()
  const unknown = { allowed: null, canRestart: null }
  const labelSelector = 'app.kubernetes.io/name=shop'
  expect(rows as readonly object[]).toStrictEqual([
    { cluster: 'east', namespace: 'payments-dev', labelSelector, allowed: true, canRestart: false },
    { cluster: 'west', namespace: 'shared', labelSelector, allowed: false, canRestart: false },
    { cluster: 'dark', namespace: 'payments-dev', labelSelector, ...unknown },
    { cluster: 'slow', namespace: 'payments-dev', labelSelector, ...unknown },
  ])
  // A cluster that the last probe could not reach is not asked.
  expect(asked).toStrictEqual([
    'list pods east payments-dev',
    'patch deployments east payments-dev',
    'list pods west shared',
    'patch deployments west shared',
    'list pods slow payments-dev',
    'patch deployments slow payments-dev',
  ])
})

test('the namespace of the overlay wins', async () => {
  const { rows } = await runsOn('own')
  expect(rows.map(({ namespace }) => String(namespace))).toStrictEqual(Array(4).fill('own'))
})
