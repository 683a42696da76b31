import { expect } from 'bun:test'
import { join } from 'node:path'
import type { DeploymentView } from '#src/lib/domain/clusters/deployment.ts'
import type { PodView } from '#src/lib/domain/clusters/pod.ts'

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
