import {
  type AppName,
  type EnvironmentName,
  RepositoryPath,
  secretPath,
  type TeamName,
} from '../../names.ts'
import { type ApplicationId, appPath, KUSTOMIZATION } from './application.ts'

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
export type Base = CompositeBase | PlainBase

interface BaseFacts {
  /** Without tag and digest. */
  readonly image: string
  readonly database: boolean
  readonly resources: Resources
}

/** A base with a composite, which overlays patch. */
export interface CompositeBase extends BaseFacts {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/** A base of plain manifests: overlays set an image, a namespace and replicas. */
interface PlainBase extends BaseFacts {
  readonly kind: null
  /** `null`: the base names none. */
  readonly namespace: string | null
  /** Name of the only workload that has replicas. */
  readonly workload: string | null
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

export const SETTINGS = ['replicas', 'resources', 'ingress', 'database'] as const

/** The settings that overlays of a base can have. */
export function settingsOn(base: Base): readonly (typeof SETTINGS)[number][] {
  if (base.kind !== null) return SETTINGS
  return base.workload === null ? [] : ['replicas']
}

export interface Overlay extends ApplicationId {
  readonly environment: EnvironmentName
  readonly namespace: string | null
  readonly base: Base
  readonly config: OverlayConfig
  readonly image: Image | null
  /** `null`: the image keeps the name that it has in the base. */
  readonly newName: string | null
}

export const overlayFolder = (team: TeamName, app: AppName, folder: string): RepositoryPath =>
  RepositoryPath.of(`${appPath(team, app)}/overlays/${folder}`)

/**
 * The files, as objects: three of a composite, one of a plain base. For a composite kustomize needs a transformer configuration: a
 * transformer would not reach it. Composites of all environments may be in one cluster, so that their names differ; plain objects differ
 * by their namespace.
 */
export function overlayObjects(
  overlay: Overlay,
): Readonly<Partial<Record<(typeof OVERLAY_FILES)[number], object>>> {
  const { base, environment, namespace, config, image, newName } = overlay
  const resources = ['../../base']
  const { tag, digest } = image ?? { tag: null, digest: null }
  const hasImage = image !== null || newName !== null
  const images = hasImage && {
    images: [
      {
        name: base.image,
        ...(newName !== null && { newName }),
        ...(tag !== null && { newTag: tag }),
        ...(digest !== null && { digest }),
      },
    ],
  }
  if (base.kind === null) {
    const { replicas } = config
    const isScaled = replicas !== undefined && base.workload !== null
    return {
      [KUSTOMIZATION_FILE]: {
        ...KUSTOMIZATION,
        resources,
        ...(namespace !== null && { namespace }),
        ...(isScaled && { replicas: [{ name: base.workload, count: replicas }] }),
        ...images,
      },
    }
  }
  const [group = ''] = base.apiVersion.split('/')
  return {
    [KUSTOMIZATION_FILE]: {
      ...KUSTOMIZATION,
      resources,
      nameSuffix: `-${environment}`,
      configurations: [TRANSFORMER_FILE],
      patches: [{ path: PATCH_FILE }],
      ...images,
    },
    [TRANSFORMER_FILE]: {
      images: [{ group, kind: base.kind, path: 'spec/parameters/image' }],
    },
    [PATCH_FILE]: patchOf(overlay, base),
  }
}

export const defaultDatabaseName = (app: AppName, environment: EnvironmentName): string =>
  `${app}-${environment}-db`

function patchOf(overlay: Overlay, base: CompositeBase) {
  const { team, app, environment, namespace, config } = overlay
  const { replicas, resources, ingress, database } = config
  const hasDatabase = base.database || database !== undefined
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
        ...(hasDatabase && {
          database: {
            ...(!base.database && { enabled: true }),
            tier: database?.tier ?? 'shared',
            name: database?.name ?? defaultDatabaseName(app, environment),
          },
        }),
      },
    },
  }
}
