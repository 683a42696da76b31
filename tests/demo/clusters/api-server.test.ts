import { apiServerContract } from '#tests/contracts/api-server.ts'
import { openServer } from './open-simulation.ts'

apiServerContract('a simulated cluster', async () => {
  const { cluster, ...server } = await openServer()
  return { ...server, url: cluster.url }
})
