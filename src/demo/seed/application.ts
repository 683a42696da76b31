import { baseKustomization, basePath, tenantApp } from '../../lib/domain/gitops/application.ts'
import {
  OVERLAY_FILES,
  type OverlayConfig,
  overlayFolder,
  overlayObjects,
} from '../../lib/domain/gitops/overlay.ts'
import { clusters, sizes } from '../clusters/workloads.ts'
import { AppName, EnvironmentName, TeamName } from '../../lib/names.ts'
import { type ComponentRow, type Environment, imageOf, type Team } from './entity.ts'
import { file, type SeedFile, yaml } from './file.ts'

/** Manifests as the portal itself writes them: a base without an image tag, and an overlay per environment. */

const API_VERSION = 'platform.example.org/v1alpha1'

/** As many as run in the cluster of the environment. */
function replicasOf(team: Team, name: string, environment: Environment): number | undefined {
  const row = Object.values(clusters)
    .flat()
    .find((each) => each.team === team && each.environment === environment)
  return row?.workloads
    .find((workload) => workload.name === name)
    ?.history.findLast(({ replicas }) => replicas !== undefined)?.replicas
}

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
    config: configOf(owner, row, environment),
    image: { tag, digest: null },
    newName: null,
  })
  const folder = overlayFolder(team, app, environment)
  return OVERLAY_FILES.map((name) => file(`${folder}/${name}`, yaml(objects[name])))
}

function configOf(owner: Team, row: ComponentRow, environment: Environment): OverlayConfig {
  const replicas = replicasOf(owner, row.name, environment)
  const isProduction = environment === 'production'
  const host = `${row.name}${isProduction ? '' : `.${environment}`}.acme.example`
  return {
    ...(replicas !== undefined && { replicas }),
    resources: sizes[environment],
    ...(servesHttp(row) && { ingress: { host } }),
    ...(needsDatabase(row) && { database: { tier: isProduction ? 'dedicated' : 'shared' } }),
  }
}
