import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { createSimulatedCluster } from '#src/demo/clusters/simulated-cluster.ts'
import { createImages } from '#src/demo/clusters/images.ts'
import { clusters } from '#src/demo/clusters/workloads.ts'
import { apiServerContract } from '#tests/contracts/api-server.ts'
import { authenticate, NOW } from './open-simulation.ts'

apiServerContract('a simulated cluster', async () => {
  const { certificate: authority, issue } = await createAuthority(Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await issue('dev-east')),
    rows: clusters['dev-east'],
    images: createImages(),
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
