import { expect, test } from 'bun:test'
import { createClusterHealth, healthOf } from '#src/lib/domain/clusters/cluster-health.ts'
import type { ClusterProbe } from '#src/lib/ports/clusters.ts'
import { clusterOf } from './cluster-request.ts'

const cluster = clusterOf('dev-east')

function world() {
  const clock = { at: 1_000_000, now: () => clock.at }
  const probes: PromiseWithResolvers<ClusterProbe>[] = []
  const health = createClusterHealth(() => {
    const probe = Promise.withResolvers<ClusterProbe>()
    probes.push(probe)
    return probe.promise
  }, clock)
  return { clock, probes, health }
}

const READY: ClusterProbe = { kind: 'ready', version: 'v1.34.2' }

// prettier-ignore
test.each<[ClusterProbe, object]>([
  [READY,                                                { status: 'Ready', statusReason: null, version: 'v1.34.2' }],
  [{ kind: 'answers', version: null },                   { status: 'Unknown', statusReason: 'anonymous_access_refused', version: null }],
  [{ kind: 'not_ready', isApiServer: true },             { status: 'NotReady', statusReason: 'not_ready', version: null }],
  [{ kind: 'unreachable', reason: 'timeout' },           { status: 'Unreachable', statusReason: 'timeout', version: null }],
  [{ kind: 'unreachable', reason: 'tls', code: 'X' },    { status: 'Unreachable', statusReason: 'tls', version: null }],
])('%j', (probe, expected) => {
  expect(healthOf(probe, 5)).toStrictEqual({ ...expected, checkedAt: 5 } as never)
})

test('asking never waits, and asks a cluster once at a time', async () => {
  const { probes, health, clock } = world()
  for (let i = 0; i < 100; i++) expect(health.of(cluster).status).toBe('Unknown')
  expect(probes).toHaveLength(1)
  probes[0]?.resolve(READY)
  await Bun.sleep(0)
  expect(health.of(cluster)).toMatchObject({ status: 'Ready', checkedAt: clock.at })
  expect(probes).toHaveLength(1)
})

test('a health that is fifteen seconds old is returned, and refreshed in the background', async () => {
  const { probes, health, clock } = world()
  void health.refresh(cluster)
  probes[0]?.resolve(READY)
  await Bun.sleep(0)
  clock.at += 14_999
  health.of(cluster)
  expect(probes).toHaveLength(1)
  clock.at += 1
  expect(health.of(cluster).status).toBe('Ready')
  expect(probes).toHaveLength(2)
  probes[1]?.resolve({ kind: 'not_ready', isApiServer: true })
  await Bun.sleep(0)
  expect(health.of(cluster).status).toBe('NotReady')
})

test('a clock that was set back makes nothing last longer', async () => {
  const { probes, health, clock } = world()
  void health.refresh(cluster)
  probes[0]?.resolve(READY)
  await Bun.sleep(0)
  clock.at -= 1
  health.of(cluster)
  expect(probes).toHaveLength(2)
})

test('a cluster that the registry changed is probed anew', async () => {
  const { probes, health } = world()
  void health.refresh(cluster)
  probes[0]?.resolve(READY)
  await Bun.sleep(0)
  expect(health.of({ ...cluster }).status).toBe('Unknown')
})

test('a bug in a probe is a status, and the next probe replaces it', async () => {
  const { probes, health, clock } = world()
  const refresh = health.refresh(cluster)
  probes[0]?.reject(new TypeError('a bug'))
  await refresh
  expect(health.of(cluster)).toStrictEqual({
    status: 'Unknown',
    statusReason: 'probe_failed',
    checkedAt: clock.at,
    version: null,
  })
  expect(probes).toHaveLength(1)
  clock.at += 15_000
  health.of(cluster)
  probes[1]?.resolve(READY)
  await Bun.sleep(0)
  expect(health.of(cluster).status).toBe('Ready')
})
