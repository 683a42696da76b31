import { describe, expect, test } from 'bun:test'
import { ok } from '#src/lib/result.ts'
import { createMetrics } from '#src/lib/metrics/metrics.ts'
import { parsePrometheusText } from '#tests/support/prometheus-text.ts'

const operating = await Bun.file('docs/metrics.md').text()

/** The metrics that a page names. */
const metricsIn = (page: string) =>
  new Set(page.match(/\b(?:portico|process)_[a-z_]+(?=[`{[ ]|$)/gm) ?? [])

async function families(): Promise<readonly string[]> {
  const metrics = createMetrics({ clock: { now: () => 0 }, build: { version: '', commit: '' } })
  metrics.observe({
    routes: [],
    catalog: { peek: () => undefined },
    readiness: { state: () => 'ready' },
    connections: { last: () => undefined },
    database: { lastBackup: async () => ok(null) },
    sessions: { countGrants: async () => ok({ cli: 0, agent: 0, workload: 0 }) },
  })
  return [...parsePrometheusText(await metrics.text()).types.keys()]
}

describe('the docs', () => {
  test('say what every metric is, and name none that there is not', async () => {
    expect([...metricsIn(operating)].toSorted()).toStrictEqual((await families()).toSorted())
  })

  test('say what every kind of failure means', async () => {
    const sources = ['git-host', 'secret-store', 'clusters', 'database', 'identity']
    const kinds = new Set<string>()
    for (const source of sources) {
      const text = await Bun.file(`src/lib/ports/${source}.ts`).text()
      const found = text.matchAll(/kind: '((?:git|secret|cluster|database|identity)_[a-z_]+)'/g)
      for (const [, kind = ''] of found) kinds.add(kind)
    }
    expect(kinds.size).toBeGreaterThan(25)
    const [, table = ''] = operating.split('`kind` of failure')
    for (const kind of [...kinds, 'unreachable', 'not_ready', 'thrown']) {
      expect(table).toContain(`\`${kind}\``)
    }
  })
})
