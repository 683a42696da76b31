import { describe, expect, test } from 'bun:test'
import { restartOnRecord } from '#src/lib/domain/clusters/restart.ts'
import type { AccessFailure } from '#src/lib/domain/clusters/access.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterFailure } from '#src/lib/ports/clusters.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import {
  clusterOf,
  clusterRequest,
  environmentRow,
  grantedAccess,
  known,
  person,
  sessionOf,
} from './cluster-request.ts'
import { deployment } from './objects.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 15, 678)
const AT = '2026-11-21T09:30:15Z'
const NAME = Subdomain.of('payments-api')

type Answer = Result<KubernetesDeployment, ClusterFailure>

async function restart({
  found = ok(deployment({}, {}, { generation: 4 })),
  patched = [ok(deployment({ observedGeneration: 4 }, {}, { generation: 5 }))],
  recordable = true,
  refused,
}: {
  readonly found?: Answer
  readonly patched?: readonly Answer[]
  readonly recordable?: boolean
  /** In the place of an access to the cluster. */
  readonly refused?: Result<never, AccessFailure>
} = {}) {
  const asked: string[] = []
  const trail = keptAudit({ isAway: !recordable })
  const cluster = clusterOf('dev-east', {
    groups: ['platform-team', 'payments'],
    environments: [environmentRow('dev', '{team}-dev'), environmentRow('staging', '{team}')],
  })
  const namespace = Label.of('payments-dev')
  const outcome = await restartOnRecord(
    {
      clock: { now: () => NOW },
      kind: 'Deployment',
      collection: {
        read: async () => found,
        restart: async (_, name, at) => {
          const answer = patched[asked.length] ?? patched.at(-1) ?? found
          asked.push(`${name} ${at}`)
          return answer
        },
      },
      audit: trail.audit,
      registry: () => [cluster],
      isTeam: (_, team) => team === 'payments',
      withAccess: async (_, act) => refused ?? act(grantedAccess({ cluster, namespace })),
    },
    clusterRequest({
      requestId: 'r1',
      address: '203.0.113.7',
      session: sessionOf({ principal: person('s', known('payments', 'shipping')) }),
      namespace,
    }),
    NAME,
  )
  const records = trail.entries()
  return { outcome, asked, records, trail: records.map(({ result, code }) => [result, code]) }
}

const target = 'deployment/dev-east/payments-dev/payments-api'
const conflict = err({ kind: 'cluster_conflict', message: 'changed' } as const)

describe('restart', () => {
  test('sets the time in whole seconds, and is one row of the record', async () => {
    const { outcome, asked, trail } = await restart()
    expect(outcome).toStrictEqual(
      ok({ restartedAt: AT, generation: 5, observedGeneration: 4, alreadyRestarted: false }),
    )
    expect(asked).toStrictEqual([`payments-api ${AT}`])
    expect(trail).toStrictEqual([['done', null]])
  })

  test('within the same second again changes nothing, and is no failure', async () => {
    const same = ok(deployment({ observedGeneration: 4 }, {}, { generation: 4 }))
    const { outcome } = await restart({ patched: [same] })
    expect(outcome).toMatchObject({ value: { alreadyRestarted: true, generation: 4 } })
  })

  test('conflicts are tried again with the same time', async () => {
    const done = ok(deployment({}, {}, { generation: 5 }))
    const { outcome, asked } = await restart({ patched: [conflict, conflict, done] })
    expect(outcome).toMatchObject({ ok: true })
    expect(asked).toStrictEqual([AT, AT, AT].map((at) => `payments-api ${at}`))
  })

  test('but not for ever', async () => {
    const { outcome, asked, trail } = await restart({ patched: [conflict] })
    expect(outcome).toStrictEqual(conflict)
    expect(asked).toHaveLength(3)
    expect(trail).toStrictEqual([['failed', 'cluster_conflict']])
  })

  test('a time-out is not tried again: it may have happened', async () => {
    const { outcome, asked } = await restart({ patched: [err({ kind: 'cluster_timeout' })] })
    expect(outcome).toStrictEqual(err({ kind: 'cluster_timeout' }))
    expect(asked).toHaveLength(1)
  })

  test('a paused deployment is refused, untouched', async () => {
    const { outcome, asked, trail } = await restart({ found: ok(deployment({}, { paused: true })) })
    expect(outcome).toStrictEqual(err({ kind: 'deployment_paused' }))
    expect(asked).toStrictEqual([])
    expect(trail).toStrictEqual([['failed', 'deployment_paused']])
  })

  test('one that is not there is not found', async () => {
    const gone = err({ kind: 'cluster_object_not_found', message: 'no' } as const)
    const expected = err({ kind: 'deployment_not_found' })
    expect((await restart({ found: gone })).outcome).toStrictEqual(expected)
    expect((await restart({ patched: [gone] })).outcome).toStrictEqual(expected)
  })

  test.each<ClusterFailure>([
    { kind: 'cluster_forbidden', message: 'no' },
    { kind: 'cluster_unauthorized' },
  ])('what the cluster refuses is put on record as denied: %j', async (refusal) => {
    const { trail } = await restart({ found: err(refusal) })
    expect(trail).toStrictEqual([['denied', refusal.kind]])
  })

  test('the record says of which request and client it is, which groups decided and what became of it', async () => {
    const { outcome, records } = await restart()
    expect(records).toStrictEqual([
      {
        by: 's',
        action: 'cluster.restart',
        target,
        team: 'payments',
        result: 'done',
        code: null,
        groups: ['payments'],
        revision: null,
        requestId: 'r1',
        address: '203.0.113.7',
        details: outcome.ok ? { ...outcome.value } : {},
      },
    ])
  })

  test.each([
    [{ kind: 'cluster_not_found' }, 'denied'],
    [{ kind: 'identity_token_missing' }, 'denied'],
    [{ kind: 'cluster_unreachable', reason: 'connection_refused' }, 'failed'],
  ] as const)(
    'an attempt that does not get to the deployment is on record: %j',
    async (failure, result) => {
      const { outcome, asked, trail, records } = await restart({ refused: err(failure) })
      expect(outcome).toStrictEqual(err(failure))
      expect(asked).toStrictEqual([])
      expect(trail).toStrictEqual([[result, failure.kind]])
      expect(records[0]).toMatchObject({ target, by: 's' })
    },
  )

  test('what cannot be put on record is not done', async () => {
    const { outcome, asked } = await restart({ recordable: false })
    expect(outcome).toMatchObject({ error: { kind: 'database_unavailable' } })
    expect(asked).toStrictEqual([])
  })
})
