import { describe, expect, test } from 'bun:test'
import { restartOnRecord } from '#src/lib/domain/clusters/restart.ts'
import type { AuditEntry } from '#src/lib/domain/audit/audit.ts'
import { Label, Subdomain } from '#src/lib/names.ts'
import type { ClusterFailure } from '#src/lib/ports/clusters.ts'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import {
  clusterOf,
  clusterRequest,
  grantedAccess,
  known,
  person,
  sessionOf,
} from './cluster-request.ts'
import { deployment } from './objects.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30, 15, 678)
const AT = '2026-11-21T09:30:15Z'
const NAME = Subdomain.of('payments-api')

type Answer = Result<KubernetesDeployment, ClusterFailure>

async function restart({
  found = ok(deployment({}, {}, { generation: 4 })),
  patched = [ok(deployment({ observedGeneration: 4 }, {}, { generation: 5 }))],
  recordable = true,
}: {
  readonly found?: Answer
  readonly patched?: readonly Answer[]
  readonly recordable?: boolean
} = {}) {
  const asked: string[] = []
  const records: AuditEntry[] = []
  const outcome = await restartOnRecord(
    {
      clock: { now: () => NOW },
      kubernetes: {
        deployments: { read: async () => found },
        restart: async (_, name, at) => {
          const answer = patched[asked.length] ?? patched.at(-1) ?? found
          asked.push(`${name} ${at}`)
          return answer
        },
      },
      audit: {
        async record(_, entry) {
          records.push(entry)
          return recordable ? ok(undefined) : err({ kind: 'database_unavailable', reason: 'full' })
        },
      },
    },
    clusterRequest({
      requestId: 'r1',
      address: '203.0.113.7',
      session: sessionOf({ principal: person('s', known('payments', 'shipping')) }),
    }),
    grantedAccess({
      cluster: clusterOf('dev-east', { groups: ['platform-team', 'payments'] }),
      namespace: Label.of('payments-dev'),
    }),
    NAME,
  )
  const trail = records.map(({ target, result, code }) => ({ target, result, code }))
  return { outcome, asked, trail, records }
}

const target = 'deployment/dev-east/payments-dev/payments-api'
const started = { target, result: 'started', code: null } as const
const conflict = err({ kind: 'cluster_conflict', message: 'changed' } as const)

describe('restart', () => {
  test('sets the time in whole seconds, and is put on record before and after', async () => {
    const { outcome, asked, trail } = await restart()
    expect(outcome).toStrictEqual(
      ok({ restartedAt: AT, generation: 5, observedGeneration: 4, alreadyRestarted: false }),
    )
    expect(asked).toStrictEqual([`payments-api ${AT}`])
    expect(trail).toStrictEqual([started, { target, result: 'done', code: null }])
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
    expect(trail.at(-1)).toStrictEqual({ target, result: 'failed', code: 'cluster_conflict' })
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
    expect(trail.at(-1)).toStrictEqual({ target, result: 'failed', code: 'deployment_paused' })
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
    expect(trail.at(-1)).toStrictEqual({ target, result: 'denied', code: refusal.kind })
  })

  test('the record says of which request and client it is, which groups decided and what became of it', async () => {
    const { outcome, records } = await restart()
    const entry = {
      action: 'cluster.restart',
      target,
      groups: ['payments'],
      requestId: 'r1',
      address: '203.0.113.7',
      code: null,
    }
    expect(records).toStrictEqual([
      { ...entry, result: 'started' },
      { ...entry, result: 'done', details: outcome.ok ? { ...outcome.value } : {} },
    ])
  })

  test('what cannot be put on record is not done', async () => {
    const { outcome, asked } = await restart({ recordable: false })
    expect(outcome).toMatchObject({ error: { kind: 'database_unavailable' } })
    expect(asked).toStrictEqual([])
  })
})
