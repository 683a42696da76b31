import { expect } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepCertificates } from '#src/lib/demo/clusters/authority.ts'
import { writeKubeconfig } from '#src/lib/demo/clusters/kubeconfig.ts'
import { createSimulatedCluster } from '#src/lib/demo/clusters/simulated-cluster.ts'
import { clusters } from '#src/lib/demo/clusters/workloads/clusters.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { kubectl } from '#tests/support/kubectl.ts'
import { authenticate } from './open-simulation.ts'

const DEADLINE_MS = 20_000
/** A rollout of three pods takes about a second. */
const STEP_MS = 80

/** Runs the real program. It sees the given configuration and nothing of this machine. */
function spawn(home: string, kubeconfig: string, args: readonly string[]) {
  return Bun.spawn([kubectl ?? 'kubectl', '--cache-dir', join(home, 'cache'), ...args], {
    env: { HOME: home, KUBECONFIG: kubeconfig, PATH: process.env['PATH'] ?? '' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: DEADLINE_MS,
  })
}

async function collect(child: ReturnType<typeof spawn>) {
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, stdout, stderr }
}

export type Kubectl = Awaited<ReturnType<typeof openKubectl>>

/** kubectl with a configuration for the simulated cluster `dev-east`, as `dev` unless a context is named. */
export async function openKubectl() {
  const home = await mkdtemp(join(tmpdir(), 'portico-kubectl-'))
  const bugs: unknown[] = []
  const { authority, serverOf } = await keepCertificates(join(home, 'tls'), Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await serverOf('dev-east')),
    namespaces: clusters['dev-east'],
    authenticate,
    clock: systemClock,
    stepMs: STEP_MS,
    onBug: (error) => bugs.push(error),
  })
  const configure = (name: string, trusted: string) => {
    const path = join(home, name)
    const context = (person: string) => ({
      person,
      cluster: 'dev-east',
      token: person,
      namespace: 'payments-dev',
    })
    writeKubeconfig(path, {
      clusters: [{ id: 'dev-east', url: cluster.url, authority: trusted }],
      contexts: [context('dev'), context('platform'), context('outsider'), context('stranger')],
    })
    return path
  }
  const kubeconfig = configure('kubeconfig', authority)
  const start = (...args: readonly string[]) => spawn(home, kubeconfig, args)
  const run = (...args: readonly string[]) => collect(start(...args))
  const ok = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run(...args)
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: '' })
    return stdout
  }
  return {
    bugs,
    /** To the end. */
    run,
    /** What it prints when all is well. */
    ok,
    /** Of the pods of a component, as `pod/name`. */
    names: async (component: string) =>
      (await ok('get', 'pods', '-o', 'name', '-l', `app.kubernetes.io/name=${component}`))
        .trim()
        .split('\n')
        .toSorted(),
    /** Goes on until it is stopped. */
    start,
    collect,
    /** With the authority of somebody else. */
    runMistrusting: async (...args: readonly string[]) => {
      const other = await keepCertificates(join(home, 'other'), Date.now())
      return collect(spawn(home, configure('mistrusting', other.authority), args))
    },
    async [Symbol.asyncDispose]() {
      await cluster.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
