import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepCertificates } from '#src/demo/clusters/authority.ts'
import { createSimulatedCluster } from '#src/demo/clusters/simulated-cluster.ts'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import { apiServerContract } from '#tests/contracts/api-server.ts'
import { authenticate, NOW } from './open-simulation.ts'

apiServerContract('a simulated cluster', async () => {
  const home = await mkdtemp(join(tmpdir(), 'portico-simulated-'))
  const { authority, serverOf } = await keepCertificates(home, Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await serverOf('dev-east')),
    namespaces: clusters['dev-east'],
    authenticate,
    // Time stands still: nothing changes that no test changes.
    clock: { now: () => NOW },
    onBug: (error) => {
      throw error
    },
  })
  return {
    url: cluster.url,
    authority,
    async [Symbol.asyncDispose]() {
      await cluster.close()
      await rm(home, { recursive: true, force: true })
    },
  }
})
