import { join } from 'node:path'
import { applicationFiles } from '#tests/support/application.ts'
import { spawnAnswering } from './answering.ts'
import { createInstallation, startPortico } from './installation.ts'

const ENVIRONMENTS = ['dev', 'staging', 'production']

/** Files of an application that is live in every environment, in a namespace of its own choice. */
export const liveApplication = (
  app: string,
  namespace: string,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(applicationFiles({ app, lifecycle: 'production' })).map(([path, text]) => [
      path,
      String(text),
    ]),
  ),
  ...Object.fromEntries(
    ENVIRONMENTS.flatMap((environment) => {
      const folder = `apps/payments/${app}/overlays/${environment}`
      return [
        [
          `${folder}/kustomization.yaml`,
          'resources: [../../base]\npatches: [{path: patch-xtenant-app.yaml}]\n',
        ],
        [
          `${folder}/patch-xtenant-app.yaml`,
          `kind: XTenantApp\nspec:\n  parameters:\n    namespace: ${namespace}\n`,
        ],
      ]
    }),
  ),
})

/** A portal with one live application, and the API server of `cluster-api.ts`. */
export async function startCrowd(port: number, app: string, namespace: string) {
  const api = spawnAnswering('bench/support/cluster-api.ts')
  const { port: apiPort, pem } = await api.next<{ port: number; pem: string }>()
  const files = Object.entries(liveApplication(app, namespace))
  const installation = await createInstallation(
    1_000,
    files.map(([path, text]) => ({ path, text })),
  )
  const registry = join(installation.directory, 'clusters.yaml')
  const authority = join(installation.directory, 'api-server.pem')
  await Bun.write(authority, pem)
  await Bun.write(
    registry,
    `apiVersion: portal/v1
clusters:
  - id: dev-east
    name: Development East
    apiServer: https://127.0.0.1:${apiPort}
    caFile: ${authority}
    groups: ["*"]
    environments: [{ name: dev, namespace: ${namespace} }]
`,
  )
  const portico = await startPortico(installation, port, { env: { CLUSTERS_FILE: registry } })
  return {
    ...portico,
    cookie: installation.cookie,
    /** Replaces so many pods within so many seconds. */
    rollOut: (pods: number, seconds: number) =>
      fetch(`https://127.0.0.1:${apiPort}/rollout?pods=${pods}&seconds=${seconds}`, {
        method: 'POST',
        tls: { ca: pem },
      }),
    async remove(): Promise<void> {
      await portico.stop()
      await api.stop()
      await installation.remove()
    },
  }
}
