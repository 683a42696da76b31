import { expect, test } from 'bun:test'
import { readApplicationHealth } from '#src/lib/domain/clusters/workloads/application-health.ts'
import type { Workload } from '#src/lib/domain/clusters/workloads/join.ts'
import type { WorkloadWatch } from '#src/lib/domain/clusters/workloads/watches.ts'
import { AppName, EnvironmentName, TeamName } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { exampleWorkload } from '#src/lib/presenters/clusters/workload-schemas.ts'
import { clusterOf, clusterRequest, environmentRow } from './cluster-request.ts'

const HEALTH = { status: 'Ready', statusReason: null, checkedAt: 0, version: null } as const
const NAME = 'app.kubernetes.io/name'

const workload = (app: string, name: string, health: Workload['health']): Workload => ({
  ...exampleWorkload,
  name,
  health,
  reason: null,
  message: `It is ${health}`,
  labels: { [NAME]: app },
})

const application = (app: string, environment = 'dev') => ({
  team: TeamName.of('payments'),
  app: AppName.of(app),
  environment: EnvironmentName.of(environment),
})

async function health(
  current: WorkloadWatch['current'],
  applications: readonly ReturnType<typeof application>[],
  isRoom = true,
) {
  const opened: string[] = []
  let open = 0
  const reading = readApplicationHealth(
    {
      clusters: [
        clusterOf('east', { environments: [environmentRow('dev', '{team}-dev')] }),
        clusterOf('dark', { environments: [environmentRow('production', '{team}')] }),
      ],
      healthOf: ({ id }) => (id === 'dark' ? { ...HEALTH, status: 'Unreachable' } : HEALTH),
      watches: {
        async open({ cluster, namespace }, selector) {
          opened.push(`${cluster} ${namespace} ${selector}`)
          if (!isRoom) return err({ kind: 'too_many_streams' })
          open += 1
          return ok({ current, changes: () => expect.unreachable(), close: () => void (open -= 1) })
        },
      },
    },
    clusterRequest(),
    applications,
  )
  const rows = await reading.finally(() => expect(open).toBe(0))
  return {
    opened,
    rows: rows.map(({ of, cluster, health, reason, message }) =>
      [of.app, cluster, health, reason, message].join(' | '),
    ),
  }
}

test('the worst workload of each application counts; a namespace is followed once', async () => {
  const workloads = [
    workload('shop', 'web', 'Healthy'),
    workload('shop', 'worker', 'Degraded'),
    workload('ledger', 'ledger', 'Unstable'),
  ]
  const found = await health(
    () => ok(workloads),
    ['shop', 'ledger', 'gone'].map((app) => application(app)),
  )
  expect(found).toStrictEqual({
    opened: [`east payments-dev ${NAME}`],
    rows: [
      'shop | east | Degraded |  | Deployment worker: It is Degraded',
      'ledger | east | Unstable |  | It is Unstable',
      'gone | east | Unknown | NoWorkload | Nothing of it runs there',
    ],
  })
})

test.each<readonly [string, string, WorkloadWatch['current'], boolean, string]>([
  [
    'a cluster that is down is not asked',
    'production',
    () => null,
    true,
    'dark | Unknown | cluster_unreachable',
  ],
  ['one that has yet to answer', 'dev', () => null, true, 'east | Unknown | cluster_timeout'],
  [
    'one that refuses',
    'dev',
    () => err({ kind: 'cluster_forbidden', message: 'no' } as const),
    true,
    'east | Unknown | cluster_forbidden',
  ],
  ['too many at once', 'dev', () => null, false, 'east | Unknown | too_many_streams'],
])('%s is unknown, with the reason', async (_, environment, current, isRoom, expected) => {
  const { rows } = await health(current, [application('shop', environment)], isRoom)
  expect(rows[0]).toStartWith(`shop | ${expected}`)
})

test('an environment that no cluster carries has no row', async () => {
  expect(await health(() => null, [application('shop', 'staging')])).toStrictEqual({
    opened: [],
    rows: [],
  })
})

test('a watch is closed where a verdict fails', async () => {
  const bug = new Error('bug')
  const reading = health(() => {
    throw bug
  }, [application('shop')])
  expect(await reading.catch((error: unknown) => error)).toBe(bug)
})

test('a few namespaces of a cluster are asked at a time, until the answer is due', async () => {
  const opened: string[] = []
  const teams = Array.from({ length: 20 }, (_, index) => TeamName.of(`team-${index}`))
  const rows = await readApplicationHealth(
    {
      clusters: [clusterOf('east', { environments: [environmentRow('dev', '{team}-dev')] })],
      healthOf: () => HEALTH,
      watches: {
        async open({ namespace, signal }) {
          opened.push(namespace)
          // The first namespace answers, the others do not.
          if (opened.length > 1) {
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
          }
          return ok({ current: () => null, changes: () => expect.unreachable(), close: () => {} })
        },
      },
    },
    clusterRequest(),
    teams.map((team) => ({ ...application('shop'), team })),
  )
  expect(opened).toHaveLength(9)
  expect(rows.map(({ reason }) => reason)).toStrictEqual(teams.map(() => 'cluster_timeout'))
})
