import { expect } from 'bun:test'
import { join } from 'node:path'
import type { DeploymentView } from '#src/lib/domain/clusters/deployment.ts'
import type { PodView } from '#src/lib/domain/clusters/pod.ts'
import { readyWords } from '#src/console/pages/clusters/workload-words.ts'
import type { WorkloadFacts } from '#src/lib/domain/clusters/workloads/workload.ts'

/** The real `kubectl`, in the version of the demo's API servers; Debian 12 has one of 2020. */
export const kubectl = Bun.which('kubectl')
if (kubectl === null) console.log('kubectl is not on PATH: tests against it are skipped')

const DEADLINE_MS = 60_000

/** Runs the real program. It sees the given configuration, a home of its own, and nothing of this machine. */
export function kubectlWith(home: string, kubeconfig: string) {
  const start = (...args: readonly string[]) =>
    Bun.spawn([kubectl ?? 'kubectl', '--cache-dir', join(home, 'cache'), ...args], {
      env: { HOME: home, KUBECONFIG: kubeconfig, PATH: process.env['PATH'] ?? '' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: DEADLINE_MS,
    })
  const run = async (...args: readonly string[]) => {
    const child = start(...args)
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode: await child.exited, stdout, stderr }
  }
  return {
    /** Runs until it is stopped. */
    start,
    /** Runs to its end. */
    run,
    /** Returns its output; throws when it fails. */
    async ok(...args: readonly string[]) {
      const { exitCode, stdout, stderr } = await run(...args)
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: '' })
      return stdout
    },
  }
}

/** The cells of a table without ages. */
const cellsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ \(.*? ago\)/g, '').split(/\s+/))

/** NAME, READY, STATUS, RESTARTS, AGE, IP, NODE, and what is empty here. */
const AGE = 4
const PRINTED_OF_POD = 6

/** Parses the output of `get pods -o wide --no-headers`, without ages. */
export const printedPods = (table: string): string[][] =>
  cellsOf(table).map((row) => row.toSpliced(AGE, 1).slice(0, PRINTED_OF_POD))

/** The same cells from Portico's answer. */
export const asPrintedPod = ({
  name,
  ready,
  status,
  restarts,
  podIP,
  node,
}: Pick<PodView, 'name' | 'ready' | 'status' | 'restarts' | 'podIP' | 'node'>): string[] => [
  name,
  `${ready.ready}/${ready.total}`,
  status,
  String(restarts),
  podIP ?? '<none>',
  node ?? '<none>',
]

/** Parses the output of `get deployments --no-headers`, without ages. */
export const printedDeployments = (table: string): string[][] =>
  cellsOf(table).map((row) => row.slice(0, 4))

/** The same cells from Portico's answer. */
export const asPrintedDeployment = ({
  name,
  replicas: { ready, desired, updated, available },
}: Pick<DeploymentView, 'name' | 'replicas'>): string[] => [
  name,
  `${ready}/${desired}`,
  String(updated),
  String(available),
]

/** Columns of `kubectl get` that Portico shows too, by position; the first is the name. */
const SHOWN = {
  ReplicaSet: [0, 1, 2, 3],
  StatefulSet: [0, 1],
  DaemonSet: [0, 1, 3, 4, 5],
  Job: [0, 1, 2],
  CronJob: [0, 1, 3, 4, 5],
} as const
export type PrintedKind = keyof typeof SHOWN
export const PRINTED_KINDS = ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'] as const

/** Verdicts for the column STATUS of jobs. */
const JOB_HEALTH: Readonly<Record<string, string>> = {
  Complete: 'Healthy',
  Failed: 'Degraded',
  FailureTarget: 'Degraded',
  Suspended: 'Suspended',
  Running: 'Progressing',
}

/** The cells of a printed row that Portico shows too. Of an age they say only that there is one. */
export function printedWorkload(kind: PrintedKind, row: readonly string[]): string[] {
  const cells = SHOWN[kind].map((column) => row[column] ?? '')
  if (kind === 'Job') return cells.with(1, JOB_HEALTH[cells[1] ?? ''] ?? '')
  return kind === 'CronJob' && cells.at(-1) !== '<none>'
    ? [...cells.slice(0, -1), 'some time']
    : cells
}

/** Parses the output of `get --no-headers`. Columns are three spaces apart; a schedule has single ones. */
export const printedWorkloads = (kind: PrintedKind, table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => printedWorkload(kind, line.split(/\s{2,}/)))

/** The same cells from what Portico knows. */
export function asPrintedWorkload(kind: PrintedKind, facts: WorkloadFacts): string[] {
  const { name, own, suspended, lastScheduleAt } = facts
  const { desired = 0, updated = 0, ready = 0, available = 0 } = facts.replicas ?? {}
  switch (kind) {
    case 'ReplicaSet':
      return [name, `${desired}`, `${updated}`, `${ready}`]
    case 'StatefulSet':
      return [name, readyWords(facts)]
    case 'DaemonSet':
      return [name, `${desired}`, `${ready}`, `${updated}`, `${available}`]
    case 'Job':
      return [name, own.health, readyWords(facts)]
    case 'CronJob': {
      const [active = ''] = own.reason === 'Active' ? own.message.split(' ') : ['0']
      const last = lastScheduleAt === null ? '<none>' : 'some time'
      return [name, facts.schedule ?? '', suspended ? 'True' : 'False', active, last]
    }
  }
}
