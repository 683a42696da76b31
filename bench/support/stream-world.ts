import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from '#scripts/build.ts'
import { spawnAnswering } from './answering.ts'
import {
  createInstallation,
  residentMegabytes,
  startPortico,
  untilComplete,
} from './installation.ts'

/** Freed memory returns to the system after a while. */
const SETTLE_MS = 8_000

export interface StreamWorldOptions {
  readonly entities: number
  readonly files?: Parameters<typeof createInstallation>[1]
  /** People who are signed in. */
  readonly people: number
  /** Settings that let all streams open. */
  readonly limits: Readonly<Record<string, string>>
}

/** The executable with an API server in its registry, and plain Bun servers beside it. */
export async function createStreamWorld({ entities, files, people, limits }: StreamWorldOptions) {
  const api = spawnAnswering('bench/support/cluster-api.ts')
  const { port: apiPort, pem } = await api.next<{ port: number; pem: string }>()
  const installation = await createInstallation(entities, files)
  const cookies = await installation.signIn(
    Array.from({ length: people }, (_, index) => `person-${index}`),
  )
  const authority = join(installation.directory, 'api-server.pem')
  const registry = join(installation.directory, 'clusters.yaml')
  await Bun.write(authority, pem)
  await Bun.write(
    registry,
    `apiVersion: portal/v1
clusters:
  - { id: dev-east, name: Development East, apiServer: "https://127.0.0.1:${apiPort}", caFile: ${authority}, groups: ["*"] }
`,
  )
  const scratch = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  const executable = join(scratch, 'portico')
  await build({ outfile: executable, commit: 'benchmark' })

  return {
    cookies,
    installation,

    async startPortico(port: number) {
      const env = { ...limits, CLUSTERS_FILE: registry }
      const running = await startPortico(installation, port, { executable, env })
      await untilComplete(() => running.get('/readyz'), running.startedAt)
      return { ...running, port }
    },

    /** Starts a server that gets port and authority of the API server, and prints its own port. */
    async startBare(script: string) {
      const server = spawnAnswering(script, [String(apiPort), pem], limits)
      const { port } = await server.next<{ port: number }>()
      return {
        port,
        residentMegabytes: () => residentMegabytes(server.pid),
        stop: () => server.stop(),
      }
    },

    async remove(): Promise<void> {
      await installation.remove()
      await rm(scratch, { recursive: true, force: true })
      await api.stop()
    },
  }
}

export async function settledMb(subject: {
  residentMegabytes(): number | Promise<number>
}): Promise<number> {
  await Bun.sleep(SETTLE_MS)
  return subject.residentMegabytes()
}
