import { baseKustomization, tenantApp } from '../../lib/domain/gitops/application.ts'
import { basePath } from '../../lib/domain/gitops/layout.ts'
import {
  type OverlayConfig,
  OVERLAY_FILES,
  overlayFolder,
  overlayObjects,
} from '../../lib/domain/gitops/overlay.ts'
import { AppName, EnvironmentName, TeamName } from '../../lib/names.ts'
import { type ComponentRow, type Environment, imageOf, type Team } from './entity.ts'
import { file, type SeedFile, yaml } from './file.ts'

/** Manifests as the portal itself writes them: a base without an image tag, and an overlay per environment. */

const API_VERSION = 'platform.example.org/v1alpha1'

const sizes = {
  dev: {
    replicas: 1,
    resources: {
      requests: { cpu: '50m', memory: '64Mi' },
      limits: { cpu: '250m', memory: '128Mi' },
    },
  },
  staging: {
    replicas: 2,
    resources: {
      requests: { cpu: '200m', memory: '256Mi' },
      limits: { cpu: '1000m', memory: '1Gi' },
    },
  },
  production: {
    replicas: 3,
    resources: {
      requests: { cpu: '500m', memory: '512Mi' },
      limits: { cpu: '2000m', memory: '2Gi' },
    },
  },
} as const satisfies Record<Environment, OverlayConfig>

const needsDatabase = ({ dependsOn = [] }: ComponentRow) =>
  dependsOn.some((dependency) => dependency.endsWith('-db'))

const servesHttp = ({ type }: ComponentRow) => type !== 'worker'

const applicationOf = (owner: Team, row: ComponentRow) => ({
  app: AppName.of(row.name),
  team: TeamName.of(owner),
  namespace: owner,
  image: imageOf(row.name),
  features: { database: needsDatabase(row), externalSecrets: true, ingress: servesHttp(row) },
})

export function baseFiles(owner: Team, row: ComponentRow): readonly SeedFile[] {
  const application = applicationOf(owner, row)
  const { team, app } = application
  const files = {
    'kustomization.yaml': baseKustomization(application),
    'xtenant-app.yaml': tenantApp(API_VERSION, application),
  }
  return Object.entries(files).map(([name, object]) =>
    file(basePath(team, app, name), yaml(object)),
  )
}

export function overlayFiles(
  owner: Team,
  row: ComponentRow,
  environment: Environment,
  tag = row.deployed[environment],
): readonly SeedFile[] {
  if (tag === undefined) return []
  const application = applicationOf(owner, row)
  const { team, app, features } = application
  const { apiVersion, kind, metadata, spec } = tenantApp(API_VERSION, application)
  const { image, namespace, resources } = spec.parameters
  const objects = overlayObjects({
    team,
    app,
    environment: EnvironmentName.of(environment),
    namespace: environment === 'production' ? namespace : `${namespace}-${environment}`,
    base: {
      apiVersion,
      kind,
      name: metadata.name,
      image,
      namespace,
      database: features.database,
      resources,
    },
    config: configOf(row, environment),
    image: { tag, digest: null },
  })
  const folder = overlayFolder(team, app, environment)
  return OVERLAY_FILES.map((name) => file(`${folder}/${name}`, yaml(objects[name])))
}

function configOf(row: ComponentRow, environment: Environment): OverlayConfig {
  const isProduction = environment === 'production'
  const host = `${row.name}${isProduction ? '' : `.${environment}`}.acme.example`
  return {
    ...sizes[environment],
    ...(servesHttp(row) && { ingress: { host } }),
    ...(needsDatabase(row) && { database: { tier: isProduction ? 'dedicated' : 'shared' } }),
  }
}
