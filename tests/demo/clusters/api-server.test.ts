import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { createSimulatedCluster } from '#src/demo/clusters/simulated-cluster.ts'
import { createImageRegistry } from '#src/demo/clusters/workloads/image-registry.ts'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import { apiServerContract } from '#tests/contracts/api-server.ts'
import { authenticate, NOW } from './open-simulation.ts'

apiServerContract('a simulated cluster', async () => {
  const { certificate: authority, issue } = await createAuthority(Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await issue('dev-east')),
    namespaces: clusters['dev-east'],
    behaviourOf: createImageRegistry().behaviourOf,
    authenticate,
    // With a stopped clock only tests change the cluster.
    clock: { now: () => NOW },
    onBug: (error) => {
      throw error
    },
  })
  return {
    url: cluster.url,
    authority,
    [Symbol.asyncDispose]: () => cluster.close(),
  }
})
