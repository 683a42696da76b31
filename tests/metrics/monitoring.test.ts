import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { dashboard, expressions } from '#scripts/dashboard.ts'
import { createMetrics } from '#src/lib/metrics/metrics.ts'
import { ok } from '#src/lib/result.ts'
import { readPage } from '#tests/support/docs-page.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { promtool } from '#tests/support/promtool.ts'
import { parsePrometheusText } from '#tests/support/prometheus-text.ts'
import { openFolder } from '#tests/support/open-folder.ts'
import { runProgram } from '#tests/support/run-program.ts'

const FOLDER = 'deploy/monitoring'

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly for?: string
      readonly labels: { readonly severity?: string }
      readonly annotations: { readonly summary?: string; readonly runbook?: string }
    }[]
  }[]
}
interface Examples {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string
      readonly exp_alerts: readonly unknown[]
    }[]
  }[]
}

const readYaml = async (file: string) => load(await Bun.file(join(FOLDER, file)).text())
const rules = ((await readYaml('rules.yaml')) as Rules).groups.flatMap(({ rules }) => rules)
const examples = ((await readYaml('rules.test.yaml')) as Examples).tests.flatMap(
  ({ alert_rule_test: tests }) => tests,
)

async function knownMetrics(): Promise<ReadonlySet<string>> {
  const metrics = createMetrics({ clock: { now: () => 0 }, build: { version: '', commit: '' } })
  metrics.observe({
    routes: [],
    catalog: { peek: () => undefined },
    readiness: { state: () => 'ready' },
    connections: { last: () => undefined },
    database: { lastBackup: async () => ok(null) },
    sessions: { countGrants: async () => ok({ cli: 0, agent: 0, workload: 0 }) },
  })
  return new Set(parsePrometheusText(await metrics.text()).types.keys())
}

async function tryRules(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await runProgram([promtool ?? '', ...args])
  return { exitCode, output: `${stdout}${stderr}` }
}

test('every alert has a time, a severity, a sentence, a runbook and examples of both kinds', async () => {
  const page = await readPage('alerts.md')
  const headings = page.all(/^## (.+)$/gm).map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  const named = rules.map(({ annotations: { runbook } }) => runbook?.split('docs/alerts.md#')[1])
  expect([...named, 'the-volume-fills-up']).toStrictEqual(headings)
  for (const { alert, for: lasting, labels, annotations } of rules) {
    expect([alert, lasting]).toStrictEqual([alert, expect.stringMatching(/^\d+m$/)])
    expect(['critical', 'warning']).toContain(labels.severity ?? '')
    expect(annotations.summary).toEndWith('.')
    const hasFired = examples
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts: { length } }) => length > 0)
    expect([alert, hasFired]).toStrictEqual([alert, [true, false]])
  }
})

test('rules and dashboard name metrics that there are', async () => {
  const known = await knownMetrics()
  const used = [...rules.map(({ expr }) => expr), ...expressions()].flatMap(
    (text) => text.match(/\b(?:portico|process)_[a-z_]+/g) ?? [],
  )
  const unknown = used.filter((name) => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')))
  expect(used.length).toBeGreaterThan(30)
  expect(unknown).toStrictEqual([])
})

test('the dashboard is the one of its program, and its panels do not cover each other', async () => {
  const text = await Bun.file(join(FOLDER, 'dashboard.json')).text()
  expect(text).toBe(dashboard())
  const { panels } = JSON.parse(text) as {
    panels: { id?: number; gridPos: Record<'x' | 'y' | 'w' | 'h', number> }[]
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})

describe.skipIf(promtool === null && !mustHaveAll)('promtool', () => {
  test('takes the rules, and every example comes out as it says', async () => {
    const tried = await tryRules('test', 'rules', join(FOLDER, 'rules.test.yaml'))
    expect(tried).toMatchObject({ exitCode: 0, output: expect.stringContaining('SUCCESS') })
  })

  test('takes every expression of the dashboard', async () => {
    await using place = await openFolder()
    const named = expressions().map((expr, index) => ({
      record: `panel_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const file = join(place.path, 'panels.json')
    // JSON is YAML.
    await Bun.write(file, JSON.stringify({ groups: [{ name: 'panels', rules: named }] }))
    expect(await tryRules('check', 'rules', file)).toMatchObject({ exitCode: 0 })
  })
})
