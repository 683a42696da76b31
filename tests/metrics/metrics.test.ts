import { describe, expect, test } from 'bun:test'
import { settings } from '#src/config/table.ts'
import type { Catalog } from '#src/lib/domain/catalog/catalog.ts'
import type { Sessions } from '#src/lib/domain/access/sessions/sessions.ts'
import type { CheckedConnections } from '#src/lib/domain/connections.ts'
import type { Readiness } from '#src/lib/domain/readiness.ts'
import { createMetrics, type Metrics } from '#src/lib/metrics/metrics.ts'
import { fails, works } from '#src/lib/ports/connection-finding.ts'
import { err, ok } from '#src/lib/result.ts'
import type { Database } from '#src/lib/ports/database.ts'
import { parsePrometheusText } from '#tests/support/prometheus-text.ts'

const NOW = Date.UTC(2026, 0, 1)
const ENTITY = '/entities/:kind/:name'
const answer = { method: 'GET', path: '/entities/component/shop', status: 200, ms: 2 }

const NO_GRANTS = { cli: 0, agent: 0, workload: 0 }

type Loaded = ReturnType<Catalog['peek']>
const loaded = {
  loadedAt: NOW - 90_000,
  stale: false,
  value: {
    entities: Array.from({ length: 3 }, () => ({
      path: 'catalog/a.yaml',
      ref: 'component/a',
      lowerCase: { kind: 'component' },
      references: [{ field: 'dependsOn', text: 'resource:gone', line: 1, column: 1 }],
    })),
    byRef: new Map(),
    leftOut: new Map(),
    problems: [{ path: 'catalog/b.yaml', line: 1 }],
  },
}

function open() {
  const clock = { time: NOW, now: () => clock.time }
  const metrics = createMetrics({
    clock,
    build: { version: '1.2.3', commit: 'abc' },
  })
  const portal: {
    catalog: Loaded
    state: ReturnType<Readiness['state']>
    connections: CheckedConnections | undefined
    lastBackup: Awaited<ReturnType<Database['lastBackup']>>
    grants: Awaited<ReturnType<Sessions['countGrants']>>
  } = {
    catalog: undefined,
    state: 'starting',
    connections: undefined,
    lastBackup: ok(null),
    grants: ok(NO_GRANTS),
  }
  return {
    metrics,
    clock,
    portal,
    observe() {
      metrics.observe({
        routes: [ENTITY],
        catalog: { peek: () => portal.catalog },
        readiness: { state: () => portal.state },
        connections: { last: () => portal.connections },
        database: { lastBackup: async () => portal.lastBackup },
        sessions: { countGrants: async () => portal.grants },
      })
    },
  }
}

const scrape = async (metrics: Metrics) => parsePrometheusText(await metrics.text())

describe('metrics', () => {
  test('requests by method, route and status; how long they took by class of status', async () => {
    const portal = open()
    portal.observe()
    for (const status of [200, 204, 404]) portal.metrics.record({ ...answer, status })
    portal.metrics.record({ ...answer, status: 200, ms: 700 })
    const scraped = await scrape(portal.metrics)
    const requests = (status: string) =>
      scraped.value('portico_http_requests_total', { method: 'GET', route: ENTITY, status })
    expect([requests('200'), requests('204'), requests('404')]).toStrictEqual([2, 1, 1])
    const duration = 'portico_http_request_duration_seconds'
    const labels = { method: 'GET', route: ENTITY, status_class: '2xx' }
    expect(scraped.value(`${duration}_count`, labels)).toBe(3)
    expect(scraped.value(`${duration}_sum`, labels)).toBeCloseTo(0.704)
    expect(scraped.value(`${duration}_bucket`, { ...labels, le: '0.001' })).toBe(0)
    expect(scraped.value(`${duration}_bucket`, { ...labels, le: '0.005' })).toBe(2)
    expect(scraped.value(`${duration}_bucket`, { ...labels, le: '1' })).toBe(3)
  })

  test('no method and no path that a client made up', async () => {
    const portal = open()
    portal.observe()
    const { metrics } = portal
    for (let number = 0; number < 100; number++) {
      metrics.record({ ...answer, path: `/made-up-${number}`, status: 404 })
      metrics.record({ ...answer, path: `/entities/made-up-${number}/x` })
      metrics.record({ ...answer, method: `MADE-UP-${number}` })
    }
    const scraped = await scrape(metrics)
    expect(scraped.labelsOf('portico_http_requests_total')).toStrictEqual([
      { method: 'GET', route: 'none', status: '404' },
      { method: 'GET', route: ENTITY, status: '200' },
      { method: 'other', route: ENTITY, status: '200' },
    ])
    expect((await metrics.text()).toLowerCase()).not.toContain('made-up')
  })

  test('whether the last check of each connection was good, once there was one', async () => {
    const opened = open()
    opened.observe()
    const { metrics, portal } = opened
    const name = 'portico_connection_check'
    expect((await scrape(metrics)).labelsOf(name)).toStrictEqual([])
    portal.connections = {
      checkedAt: NOW,
      subjects: [
        { name: 'git', findings: [works('There.')] },
        { name: 'git_host', findings: [works('It reads.'), fails('It may not write.')] },
      ],
    }
    const scraped = await scrape(metrics)
    expect(scraped.value(name, { check: 'git' })).toBe(1)
    expect(scraped.value(name, { check: 'git_host' })).toBe(0)
  })

  test('calls of a port and their failures, under its name', async () => {
    const portal = open()
    const { metrics } = portal
    const gitHost = metrics.port('git_host', { head: () => Promise.resolve(ok(1)) })
    const store = { find: () => Promise.resolve(err({ kind: 'database_unavailable' })) }
    const database = metrics.port('database', { sessions: store })
    await gitHost.head()
    await gitHost.head()
    await database.sessions.find()
    const scraped = await scrape(metrics)
    const calls = 'portico_upstream_call_duration_seconds_count'
    expect(scraped.value(calls, { port: 'git_host', call: 'head' })).toBe(2)
    expect(scraped.value(calls, { port: 'database', call: 'sessions.find' })).toBe(1)
    expect(scraped.labelsOf('portico_upstream_failures_total')).toStrictEqual([
      { port: 'database', call: 'sessions.find', kind: 'database_unavailable' },
    ])
  })

  test('runs by how they ended, from the first', async () => {
    const portal = open()
    const runs = async (outcome: string) =>
      (await scrape(portal.metrics)).value('portico_scaffold_runs_total', { outcome })
    expect([await runs('complete'), await runs('git_host_timeout')]).toStrictEqual([0, undefined])
    for (const outcome of ['complete', 'complete', 'git_host_timeout']) {
      portal.metrics.runEnded(outcome)
    }
    expect([await runs('complete'), await runs('git_host_timeout')]).toStrictEqual([2, 1])
  })

  test('what the rate limit of the git host has left, until it resets', async () => {
    const { metrics, clock } = open()
    const limit = async () => {
      const scraped = await scrape(metrics)
      return ['remaining', 'reset_timestamp_seconds'].map((name) =>
        scraped.value(`portico_git_host_rate_limit_${name}`),
      )
    }
    expect(await limit()).toStrictEqual([undefined, undefined])
    const resetsAt = clock.now() + 60_000
    metrics.rateLimited({ remaining: 4_999, resetsAt })
    metrics.rateLimited({ remaining: 0, resetsAt })
    expect(await limit()).toStrictEqual([0, resetsAt / 1_000])
    clock.time = resetsAt
    expect(await limit()).toStrictEqual([undefined, undefined])
  })

  test('age and size of the catalog, and nothing while there is none', async () => {
    const portal = open()
    portal.observe()
    const catalog = async () => {
      const scraped = await scrape(portal.metrics)
      return ['age_seconds', 'entities', 'problems'].map((name) =>
        scraped.value(`portico_catalog_${name}`),
      )
    }
    expect(await catalog()).toStrictEqual([undefined, undefined, undefined])
    portal.portal.catalog = loaded as unknown as Loaded
    expect(await catalog()).toStrictEqual([90, 3, 4])
    portal.portal.catalog = undefined
    expect(await catalog()).toStrictEqual([undefined, undefined, undefined])
  })

  test('grants by kind of client, counted once a minute', async () => {
    const portal = open()
    portal.observe()
    const grants = async () => {
      const scraped = await scrape(portal.metrics)
      return ['cli', 'agent', 'workload'].map((kind) => scraped.value('portico_grants', { kind }))
    }
    expect(await grants()).toStrictEqual([0, 0, 0])
    portal.portal.grants = ok({ cli: 3, agent: 2, workload: 1 })
    expect(await grants()).toStrictEqual([0, 0, 0])
    portal.clock.time += 60_000
    expect(await grants()).toStrictEqual([3, 2, 1])
    portal.portal.grants = err({ kind: 'database_unavailable', reason: '' })
    portal.clock.time += 60_000
    expect(await grants()).toStrictEqual([undefined, undefined, undefined])
  })

  test('when the last backup began, if there was one and the database knows', async () => {
    const portal = open()
    portal.observe()
    const outcomes = [ok(null), ok(NOW), err({ kind: 'database_unavailable', reason: '' } as const)]
    const values: unknown[] = []
    for (const outcome of outcomes) {
      portal.portal.lastBackup = outcome
      const scraped = await scrape(portal.metrics)
      values.push(scraped.value('portico_backup_last_success_timestamp_seconds'))
    }
    expect(values).toStrictEqual([undefined, NOW / 1_000, undefined])
  })

  test('whether it is ready, and what runs', async () => {
    const portal = open()
    portal.observe()
    expect((await scrape(portal.metrics)).value('portico_ready')).toBe(0)
    portal.portal.state = 'ready'
    const scraped = await scrape(portal.metrics)
    expect(scraped.value('portico_ready')).toBe(1)
    expect(scraped.labelsOf('portico_build_info')).toStrictEqual([
      { version: '1.2.3', commit: 'abc', bun: Bun.version },
    ])
    expect(scraped.value('portico_build_info')).toBe(1)
  })

  test('how the process is', async () => {
    const portal = open()
    const scraped = await scrape(portal.metrics)
    const startedAt = scraped.value('process_start_time_seconds') ?? 0
    expect(Math.abs(startedAt - (Date.now() / 1_000 - process.uptime()))).toBeLessThan(2)
    const rss = scraped.value('process_resident_memory_bytes') ?? 0
    expect(rss).toBeGreaterThan(20_000_000)
    expect(rss).toBeLessThan(4_000_000_000)
    const cpu = scraped.value('process_cpu_seconds_total') ?? 0
    expect(cpu).toBeGreaterThan(0.01)
    expect(cpu).toBeLessThan(3_600)
    // The counter is what the process has used, not the sum of what was asked.
    await scrape(portal.metrics)
    const again = (await scrape(portal.metrics)).value('process_cpu_seconds_total') ?? 0
    expect(again - cpu).toBeLessThan(cpu)
    if (process.platform === 'linux') expect(scraped.value('process_open_fds')).toBeGreaterThan(3)
  })

  test('for how long the event loop was held', async () => {
    const portal = open()
    const lag = 'portico_event_loop_lag_seconds'
    const sampled = async (count: number) => {
      let scraped = await scrape(portal.metrics)
      while ((scraped.value(`${lag}_count`) ?? 0) < count) {
        await Bun.sleep(20)
        scraped = await scrape(portal.metrics)
      }
      return scraped
    }
    await sampled(2)
    Bun.sleepSync(400)
    const scraped = await sampled(4)
    const short = scraped.value(`${lag}_bucket`, { le: '0.25' }) ?? 0
    expect((scraped.value(`${lag}_count`) ?? 0) - short).toBeGreaterThanOrEqual(1)
    expect(scraped.value(`${lag}_sum`)).toBeGreaterThan(0.25)
  })
})

test.each([
  ['', ok(null)],
  ['9090', ok(9_090)],
  ['0', err('must be a whole number from 1 to 65535')],
  ['65536', err('must be a whole number from 1 to 65535')],
  ['off', err('must be a whole number from 1 to 65535')],
])('METRICS_PORT of %p', (given, expected) => {
  expect(settings.METRICS_PORT.parse(given)).toStrictEqual(expected)
})

describe('the parser of these tests', () => {
  const head = '# HELP a_total A.\n# TYPE a_total counter\n'
  const histogram = '# HELP h H.\n# TYPE h histogram\n'
  test.each([
    ['an open last line', `${head}a_total 1`],
    ['no help', '# TYPE a_total counter\na_total 1\n'],
    ['no type', '# HELP a_total A.\na_total 1\n'],
    ['an unknown type', '# HELP a A.\n# TYPE a number\na 1\n'],
    ['a family twice', `${head}a_total 1\n${head}a_total{b="c"} 1\n`],
    ['a sample twice', `${head}a_total{b="c",d="e"} 1\na_total{d="e",b="c"} 1\n`],
    ['a sample of another family', `${head}b_total 1\n`],
    ['no value', `${head}a_total \n`],
    ['a value that is none', `${head}a_total undefined\n`],
    ['a label without quotes', `${head}a_total{b=c} 1\n`],
    ['a label with an open quote', `${head}a_total{b="c} 1\n`],
    ['a label with a raw quote', `${head}a_total{b="c"d"} 1\n`],
    ['a label twice', `${head}a_total{b="c",b="d"} 1\n`],
    ['a histogram without +Inf', `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
    [
      'a histogram that shrinks',
      `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    ],
    ['a histogram that miscounts', `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
    ['a histogram without a sum', `${histogram}h_bucket{le="+Inf"} 1\nh_count 1\n`],
  ])('refuses %s', (_, text) => {
    expect(() => parsePrometheusText(text)).toThrow()
  })

  test('reads what is escaped', () => {
    const read = parsePrometheusText(`${head}a_total{b="c\\"d\\\\",e="f,g}"} 1.5e-7\n`)
    expect(read.labelsOf('a_total')).toStrictEqual([{ b: 'c\\"d\\\\', e: 'f,g}' }])
  })
})
