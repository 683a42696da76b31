import { appPath, type ComponentRow, type Environment, imageOf, type Team } from './entity.ts'
import { file, type SeedFile, yaml } from './file.ts'

/** Deployment manifests in the layout that promotion writes: a base without image tag, an overlay per environment. */
const RESOURCE = { apiVersion: 'platform.example.org/v1alpha1', kind: 'XTenantApp' }
const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }

interface Size {
  readonly replicas: number
  readonly cpu: readonly [request: string, limit: string]
  readonly memory: readonly [request: string, limit: string]
}

const sizes: Readonly<Record<Environment, Size>> = {
  dev: { replicas: 1, cpu: ['50m', '250m'], memory: ['64Mi', '128Mi'] },
  staging: { replicas: 2, cpu: ['200m', '1000m'], memory: ['256Mi', '1Gi'] },
  production: { replicas: 3, cpu: ['500m', '2000m'], memory: ['512Mi', '2Gi'] },
}

const needsDatabase = ({ dependsOn = [] }: ComponentRow) =>
  dependsOn.some((dependency) => dependency.endsWith('-db'))

const servesHttp = ({ type }: ComponentRow) => type !== 'worker'

export function baseFiles(team: Team, row: ComponentRow): readonly SeedFile[] {
  const { name } = row
  const folder = `${appPath(team, name)}/base`
  const kustomization = {
    ...KUSTOMIZATION,
    resources: ['xtenant-app.yaml'],
    labels: [{ pairs: { 'app.kubernetes.io/name': name, 'portico/team': team } }],
  }
  const { cpu, memory, replicas } = sizes.dev
  const resource = {
    ...RESOURCE,
    metadata: { name: `${team}-${name}` },
    spec: {
      parameters: {
        appName: name,
        owner: team,
        namespace: team,
        image: imageOf(name),
        containerPort: 8080,
        replicas,
        resources: resources(cpu, memory),
        ingress: { enabled: servesHttp(row) },
        externalSecrets: { enabled: true },
        database: needsDatabase(row) ? { enabled: true, tier: 'shared' } : { enabled: false },
      },
    },
  }
  return [
    file(`${folder}/kustomization.yaml`, yaml(kustomization)),
    file(`${folder}/xtenant-app.yaml`, yaml(resource)),
  ]
}

export function overlayFiles(
  team: Team,
  row: ComponentRow,
  environment: Environment,
  tag = row.deployed[environment],
): readonly SeedFile[] {
  if (tag === undefined) return []
  const { name } = row
  const folder = `${appPath(team, name)}/overlays/${environment}`
  const kustomization = {
    ...KUSTOMIZATION,
    resources: ['../../base'],
    nameSuffix: `-${environment}`,
    configurations: ['image-transformer.yaml'],
    patches: [{ path: 'patch-xtenant-app.yaml' }],
    images: [{ name: imageOf(name), newTag: tag }],
  }
  const transformer = {
    images: [{ group: 'platform.example.org', kind: RESOURCE.kind, path: 'spec/parameters/image' }],
  }
  return [
    file(`${folder}/kustomization.yaml`, yaml(kustomization)),
    file(`${folder}/image-transformer.yaml`, yaml(transformer)),
    file(`${folder}/patch-xtenant-app.yaml`, yaml(patchOf(team, row, environment))),
  ]
}

function patchOf(team: Team, row: ComponentRow, environment: Environment) {
  const { name } = row
  const { cpu, memory, replicas } = sizes[environment]
  const isProduction = environment === 'production'
  const host = isProduction ? `${name}.acme.example` : `${name}.${environment}.acme.example`
  const tier = isProduction ? 'dedicated' : 'shared'
  return {
    ...RESOURCE,
    metadata: { name: `${team}-${name}` },
    spec: {
      parameters: {
        environment,
        namespace: isProduction ? team : `${team}-${environment}`,
        replicas,
        resources: resources(cpu, memory),
        ...(servesHttp(row) && { ingress: { host } }),
        externalSecrets: { path: `${team}/${name}/${environment}/env` },
        ...(needsDatabase(row) && { database: { tier, name: `${name}-${environment}-db` } }),
      },
    },
  }
}

const resources = (cpu: Size['cpu'], memory: Size['memory']) => ({
  requests: { cpu: cpu[0], memory: memory[0] },
  limits: { cpu: cpu[1], memory: memory[1] },
})
