import { describe, expect, test } from 'bun:test'
import type { ApiObject } from '#src/demo/clusters/objects.ts'
import { tableOf } from '#src/demo/clusters/resources.ts'
import { type ObjectFacts, RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import { asPrintedWorkload, type PrintedKind, printedWorkload } from '#tests/support/kubectl.ts'
import { condition } from './objects.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString()
const template = { metadata: { labels: {} }, spec: { containers: [{ name: 'a', image: 'a:1' }] } }

type Case = readonly [string, object, object, readonly (string | number)[]]

const holds = (...types: readonly string[]) => ({
  conditions: types.map((type) => condition(type, 'True')),
})
const node = (
  desired: number,
  current: number,
  ready: number,
  updated: number,
  available: number,
) => ({
  observedGeneration: 1,
  desiredNumberScheduled: desired,
  currentNumberScheduled: current,
  numberReady: ready,
  ...(updated > 0 && { updatedNumberScheduled: updated }),
  ...(available > 0 && { numberAvailable: available }),
  numberMisscheduled: 0,
})

/** What `pkg/printers/internalversion/printers.go` of Kubernetes prints of each, without name and age. */
// prettier-ignore
const CASES: Readonly<Record<PrintedKind, readonly Case[]>> = {
  ReplicaSet: [
    ['of a deployment before this one', { replicas: 0 }, { replicas: 0 }, [0, 0, 0]],
    ['some ready',                      { replicas: 3 }, { replicas: 3, readyReplicas: 2 }, [3, 3, 2]],
    ['fewer than wanted',               { replicas: 3 }, { replicas: 1 }, [3, 1, 0]],
    ['more than wanted',                { replicas: 1 }, { replicas: 3, readyReplicas: 3 }, [1, 3, 3]],
  ],
  StatefulSet: [
    ['zeros left out',              { replicas: 3 }, { replicas: 1 }, ['0/3']],
    ['partitioned',                 { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }, { replicas: 3, readyReplicas: 3, updatedReplicas: 1 }, ['3/3']],
    ['on delete',                   { replicas: 3, updateStrategy: { type: 'OnDelete' } }, { replicas: 3, readyReplicas: 2 }, ['2/3']],
    ['ordinals from 5 on',          { replicas: 2, ordinals: { start: 5 } }, { replicas: 2, readyReplicas: 1 }, ['1/2']],
    ['not seen by the controller',  { replicas: 5 }, { observedGeneration: 0, replicas: 3, readyReplicas: 3 }, ['3/5']],
    ['more than wanted',            { replicas: 1 }, { replicas: 3, readyReplicas: 3 }, ['3/1']],
    ['scaled to zero',              { replicas: 0 }, { replicas: 0 }, ['0/0']],
  ],
  DaemonSet: [
    ['no node',        {}, node(0, 0, 0, 0, 0), [0, 0, 0, 0, 0, '<none>']],
    ['half way',       {}, node(4, 4, 3, 2, 3), [4, 4, 3, 2, 3, '<none>']],
    ['with a surge',   { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }, node(3, 3, 3, 1, 3), [3, 3, 3, 1, 3, '<none>']],
    ['short of nodes', {}, node(4, 2, 2, 2, 1), [4, 2, 2, 2, 1, '<none>']],
    ['on delete',      { updateStrategy: { type: 'OnDelete' } }, node(3, 3, 3, 0, 3), [3, 3, 3, 0, 3, '<none>']],
    ['on some nodes',  { template: { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } } }, node(1, 1, 1, 1, 1), [1, 1, 1, 1, 1, 'disk=ssd']],
  ],
  Job: [
    ['has yet to begin',                    { completions: 1 }, {}, ['Running', '0/1', '']],
    ['runs',                                { completions: 5, parallelism: 2 }, { active: 2, succeeded: 3, startTime: ago(3) }, ['Running', '3/5', '3m0s']],
    ['complete',                            { completions: 1 }, { succeeded: 1, startTime: ago(9), completionTime: ago(7.5), ...holds('SuccessCriteriaMet', 'Complete') }, ['Complete', '1/1', '90s']],
    ['a queue of work with one pod',        { parallelism: 1 }, { active: 1, startTime: ago(1) }, ['Running', '0/1', '60s']],
    ['a queue of work with three pods',     { parallelism: 3 }, { active: 1, succeeded: 2, startTime: ago(1) }, ['Running', '2/1 of 3', '60s']],
    ['a queue of work that stands still',   { parallelism: 0 }, {}, ['Running', '0/1', '']],
    ['neither is said',                     {}, { active: 1, startTime: ago(1) }, ['Running', '0/1', '60s']],
    ['suspended',                           { completions: 1, suspend: true }, holds('Suspended'), ['Suspended', '0/1', '']],
    ['about to fail',                       { completions: 1 }, { active: 1, failed: 1, startTime: ago(1), ...holds('FailureTarget') }, ['FailureTarget', '0/1', '60s']],
    ['failed',                              { completions: 1 }, { failed: 7, startTime: ago(1), ...holds('FailureTarget', 'Failed') }, ['Failed', '0/1', '60s']],
    ['a condition that does not hold',      { completions: 1 }, { active: 1, conditions: [condition('Suspended', 'False')] }, ['Running', '0/1', '']],
  ],
  CronJob: [
    ['has yet to run',         {}, {}, ['0 3 * * *', '<none>', 'False', 0, '<none>']],
    ['has run',                {}, { lastScheduleTime: ago(5), lastSuccessfulTime: ago(4) }, ['0 3 * * *', '<none>', 'False', 0, '5m0s']],
    ['two runs are active',    {}, { lastScheduleTime: ago(5), active: [{}, {}] }, ['0 3 * * *', '<none>', 'False', 2, '5m0s']],
    ['suspended',              { suspend: true }, { lastScheduleTime: ago(5) }, ['0 3 * * *', '<none>', 'True', 0, '5m0s']],
    ['of another time zone',   { timeZone: 'Europe/Berlin' }, {}, ['0 3 * * *', 'Europe/Berlin', 'False', 0, '<none>']],
  ],
}

const BASE: Readonly<Record<PrintedKind, object>> = {
  ReplicaSet: { template },
  StatefulSet: { template },
  DaemonSet: { template },
  Job: { template },
  CronJob: { schedule: '0 3 * * *', jobTemplate: { spec: { template } } },
}

const KINDS = Object.keys(CASES) as PrintedKind[]

describe.each(KINDS)('columns of kubectl: %s', (kind) => {
  test.each(CASES[kind])('%s', (_, spec, status, cells) => {
    const metadata = {
      name: 'shop',
      namespace: 'n',
      uid: 'u',
      generation: 1,
      creationTimestamp: ago(10),
    }
    const seen = kind === 'Job' || kind === 'CronJob' ? {} : { observedGeneration: 1 }
    const object = {
      kind,
      metadata,
      spec: { ...BASE[kind], ...spec },
      status: { ...seen, ...status },
    }
    const table = tableOf([object as unknown as ApiObject], {}, NOW)
    const printed = table.rows[0]?.cells ?? []
    expect(printed).toStrictEqual(['shop', ...cells, '10m'])

    const row = Object.values(RESOURCES).find((each) => each.kind === kind)
    const read = row?.facts as ((of: unknown) => ObjectFacts) | undefined
    const facts = read?.(object).workload ?? expect.unreachable()
    expect(asPrintedWorkload(kind, facts)).toStrictEqual(printedWorkload(kind, printed.map(String)))
  })
})
