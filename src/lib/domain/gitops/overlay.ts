import {
  type AppName,
  type EnvironmentName,
  RepositoryPath,
  secretPath,
  type TeamName,
} from '../../names.ts'
import { KUSTOMIZATION } from './application.ts'
import { appPath } from './layout.ts'

export const BASE_FILE = 'xtenant-app.yaml'
export const KUSTOMIZATION_FILE = 'kustomization.yaml'
/** Names that kustomize accepts; Portico writes the first. */
export const KUSTOMIZATION_NAMES = [KUSTOMIZATION_FILE, 'kustomization.yml', 'Kustomization']
const TRANSFORMER_FILE = 'image-transformer.yaml'
export const PATCH_FILE = 'patch-xtenant-app.yaml'
/** Limit of a file of a base or an overlay. */
export const OVERLAY_BYTES_MAX = 64 * 1024
export const OVERLAY_FILES = [KUSTOMIZATION_FILE, TRANSFORMER_FILE, PATCH_FILE] as const

/** The part of an application's base that its overlays depend on. */
export interface Base {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Without tag and digest. */
  readonly image: string
  readonly namespace: string
  readonly database: boolean
  readonly resources: Resources
}

export interface Resources {
  readonly requests?: Quantities
  readonly limits?: Quantities
}

interface Quantities {
  readonly cpu?: string
  readonly memory?: string
}

export interface Image {
  readonly tag: string | null
  readonly digest: string | null
}

/** An overlay without an image leaves the choice to the base. */
export const isUntagged = (image: Image | null): boolean =>
  image === null || (image.tag === null && image.digest === null)

export interface OverlayConfig {
  readonly replicas?: number
  readonly resources?: Resources
  readonly ingress?: { readonly host?: string }
  readonly database?: { readonly tier: 'shared' | 'dedicated'; readonly name?: string }
}

export interface Overlay {
  readonly team: TeamName
  readonly app: AppName
  readonly environment: EnvironmentName
  readonly namespace: string
  readonly base: Base
  readonly config: OverlayConfig
  readonly image: Image | null
}

export const overlayFolder = (team: TeamName, app: AppName, folder: string): RepositoryPath =>
  RepositoryPath.of(`${appPath(team, app)}/overlays/${folder}`)

/** The three files, as objects. kustomize needs a transformer configuration here: a transformer would not reach the composite. */
export function overlayObjects(
  overlay: Overlay,
): Readonly<Record<(typeof OVERLAY_FILES)[number], object>> {
  const { base, environment, image } = overlay
  const [group = ''] = base.apiVersion.split('/')
  return {
    [KUSTOMIZATION_FILE]: {
      ...KUSTOMIZATION,
      resources: ['../../base'],
      nameSuffix: `-${environment}`,
      configurations: [TRANSFORMER_FILE],
      patches: [{ path: PATCH_FILE }],
      ...(image && {
        images: [
          {
            name: base.image,
            ...(image.tag !== null && { newTag: image.tag }),
            ...(image.digest !== null && { digest: image.digest }),
          },
        ],
      }),
    },
    [TRANSFORMER_FILE]: {
      images: [{ group, kind: base.kind, path: 'spec/parameters/image' }],
    },
    [PATCH_FILE]: patchOf(overlay),
  }
}

export const defaultDatabaseName = (app: AppName, environment: EnvironmentName): string =>
  `${app}-${environment}-db`

/** The database of an overlay, if its base or its configuration wants one. */
export function databaseOf({
  app,
  environment,
  base,
  config: { database },
}: Pick<Overlay, 'app' | 'environment' | 'base' | 'config'>) {
  if (!base.database && database === undefined) return undefined
  return {
    tier: database?.tier ?? 'shared',
    name: database?.name ?? defaultDatabaseName(app, environment),
  }
}

function patchOf(overlay: Overlay) {
  const { team, app, environment, namespace, base, config } = overlay
  const { replicas, resources, ingress } = config
  const database = databaseOf(overlay)
  return {
    apiVersion: base.apiVersion,
    kind: base.kind,
    metadata: { name: base.name },
    spec: {
      parameters: {
        environment,
        namespace,
        ...(replicas !== undefined && { replicas }),
        ...(resources !== undefined && { resources }),
        ...(ingress?.host !== undefined && { ingress: { host: ingress.host } }),
        externalSecrets: { path: secretPath(team, app, environment) },
        ...(database !== undefined && {
          database: { ...(!base.database && { enabled: true }), ...database },
        }),
      },
    },
  }
}
