import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { writeKubeconfig } from '#src/demo/clusters/kubeconfig.ts'
import { createSimulatedCluster } from '#src/demo/clusters/simulated-cluster.ts'
import { createImageRegistry } from '#src/demo/clusters/workloads/image-registry.ts'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { kubectlWith } from '#tests/support/kubectl.ts'
import { authenticate } from './open-simulation.ts'

/** A rollout of three pods takes about a second. */
const STEP_MS = 80

export type Kubectl = Awaited<ReturnType<typeof openKubectl>>

/** kubectl with a configuration for the simulated cluster `dev-east`, as `dev` unless a context is named. */
export async function openKubectl() {
  const home = await mkdtemp(join(tmpdir(), 'portico-kubectl-'))
  const bugs: unknown[] = []
  const { certificate: authority, issue } = await createAuthority(Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await issue('dev-east')),
    namespaces: clusters['dev-east'],
    behaviourOf: createImageRegistry().behaviourOf,
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
  const kubectl = kubectlWith(home, configure('kubeconfig', authority))
  return {
    ...kubectl,
    bugs,
    /** Of the pods of a component, as `pod/name`. */
    names: async (component: string) =>
      (await kubectl.ok('get', 'pods', '-o', 'name', '-l', `app.kubernetes.io/name=${component}`))
        .trim()
        .split('\n')
        .toSorted(),
    /** Trusts another certificate authority. */
    runMistrusting: async (...args: readonly string[]) => {
      const other = await createAuthority(Date.now())
      return kubectlWith(home, configure('mistrusting', other.certificate)).run(...args)
    },
    async [Symbol.asyncDispose]() {
      await cluster.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
