/** Writes the Grafana dashboard, `deploy/monitoring/dashboard.json`. Its data source is a variable; it needs no plugin. */
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

const FILE = 'deploy/monitoring/dashboard.json'
const SOURCE = { type: 'prometheus', uid: '${source}' }
const HERE = 'instance=~"$instance"'

interface Panel {
  readonly title: string
  readonly unit: string
  readonly queries: readonly (readonly [expression: string, legend: string])[]
}

const quantile = (share: number, histogram: string, by: string) =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${histogram}_bucket{${HERE}}[$__rate_interval])))`

/** One number, now. */
const NOW: readonly Panel[] = [
  { title: 'Replicas ready', unit: 'short', queries: [[`sum(portico_ready{${HERE}})`, '']] },
  {
    title: 'Age of the catalog',
    unit: 's',
    queries: [[`max(portico_catalog_age_seconds{${HERE}})`, '']],
  },
  { title: 'Entities', unit: 'short', queries: [[`max(portico_catalog_entities{${HERE}})`, '']] },
  {
    title: 'Mistakes in catalog files',
    unit: 'short',
    queries: [[`max(portico_catalog_problems{${HERE}})`, '']],
  },
  {
    title: 'Connections that fail',
    unit: 'short',
    queries: [['count(min by (check) (portico_connection_check) == 0) or vector(0)', '']],
  },
  {
    title: 'Last backup',
    unit: 's',
    queries: [['time() - max(portico_backup_last_success_timestamp_seconds)', '']],
  },
  {
    title: 'Requests to the git host left',
    unit: 'short',
    queries: [['min(portico_git_host_rate_limit_remaining)', '']],
  },
]

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  Requests: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: [
        [
          `sum by (status) (rate(portico_http_requests_total{${HERE}}[$__rate_interval]))`,
          '{{status}}',
        ],
      ],
    },
    {
      title: 'Slowest routes, 99th percentile',
      unit: 's',
      queries: [
        [
          `topk(8, ${quantile(0.99, 'portico_http_request_duration_seconds', 'route')})`,
          '{{route}}',
        ],
      ],
    },
    {
      title: 'Waiting for a turn, 99th percentile',
      unit: 's',
      queries: [[quantile(0.99, 'portico_queue_seconds', 'queue'), '{{queue}}']],
    },
    {
      title: 'Projects by how they ended, in an hour',
      unit: 'short',
      queries: [
        [`sum by (outcome) (increase(portico_scaffold_runs_total{${HERE}}[1h]))`, '{{outcome}}'],
      ],
    },
  ],
  'Other systems': [
    {
      title: 'Calls, 95th percentile',
      unit: 's',
      queries: [[quantile(0.95, 'portico_upstream_call_duration_seconds', 'port'), '{{port}}']],
    },
    {
      title: 'Failures by kind',
      unit: 'reqps',
      queries: [
        [
          `sum by (port, kind) (rate(portico_upstream_failures_total{${HERE}}[$__rate_interval])) > 0`,
          '{{port}} {{kind}}',
        ],
      ],
    },
  ],
  Process: [
    {
      title: 'Memory',
      unit: 'bytes',
      queries: [
        ['process_resident_memory_bytes and on (instance) portico_build_info', '{{instance}}'],
      ],
    },
    {
      title: 'Processor',
      unit: 'percentunit',
      queries: [
        [
          'rate(process_cpu_seconds_total[$__rate_interval]) and on (instance) portico_build_info',
          '{{instance}}',
        ],
      ],
    },
    {
      title: 'Delay of the event loop, 99th percentile',
      unit: 's',
      queries: [[quantile(0.99, 'portico_event_loop_lag_seconds', 'instance'), '{{instance}}']],
    },
    {
      title: 'Open files and sockets',
      unit: 'short',
      queries: [['process_open_fds and on (instance) portico_build_info', '{{instance}}']],
    },
  ],
}

/** Every expression of the dashboard. */
export const expressions = (): readonly string[] =>
  [...NOW, ...Object.values(ROWS).flat()].flatMap(({ queries }) => queries.map(([each]) => each))

const queryOf = ([expression, legend]: Panel['queries'][number]) =>
  new DataqueryBuilder().datasource(SOURCE).expr(expression).legendFormat(legend)

export function dashboard(): string {
  const builder = new DashboardBuilder('Portico')
    .uid('portico')
    .tags(['portico'])
    .refresh('1m')
    .time({ from: 'now-6h', to: 'now' })
    .withVariable(new DatasourceVariableBuilder('source').label('Data source').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('instance')
        .label('Replica')
        .datasource(SOURCE)
        .query('label_values(portico_build_info, instance)')
        .multi(true)
        .includeAll(true),
    )
    .withRow(new RowBuilder('Now'))
  for (const { title, unit, queries } of NOW) {
    const panel = new StatBuilder().title(title).unit(unit).datasource(SOURCE).span(4).height(4)
    for (const query of queries) panel.withTarget(queryOf(query))
    builder.withPanel(panel)
  }
  for (const [row, panels] of Object.entries(ROWS)) {
    builder.withRow(new RowBuilder(row))
    for (const { title, unit, queries } of panels) {
      const panel = new TimeSeriesBuilder()
        .title(title)
        .unit(unit)
        .datasource(SOURCE)
        .span(12)
        .height(8)
      for (const query of queries) panel.withTarget(queryOf(query))
      builder.withPanel(panel)
    }
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`
}

if (import.meta.main) await Bun.write(FILE, dashboard())
