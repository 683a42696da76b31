import {
  type AppName,
  type ObjectId,
  type RepositoryId,
  RepositoryPath,
  type TeamName,
} from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { readYaml } from '../catalog/read-yaml.ts'
import { scalarText } from '../gitops/edit-yaml.ts'
import { appPath } from '../gitops/layout.ts'
import {
  type Base,
  type Image,
  KUSTOMIZATION_FILE,
  type OverlayConfig,
  PATCH_FILE,
} from '../gitops/overlay.ts'
import { pipeline, type Stage } from './pipeline.ts'

const FILE_BYTES_MAX = 64 * 1024
/** A commit never changes, so what was read of it is right for ever. */
const REMEMBERED_MAX = 500

/** An application as one commit has it. */
export interface Application {
  /** Whether its folder is there at all. */
  readonly exists: boolean
  /** `null`: there is none that an overlay could be put on. */
  readonly base: Base | null
  /** Those that are there. */
  readonly overlays: ReadonlyMap<Stage, PlacedOverlay>
}

export interface PlacedOverlay {
  readonly folder: string
  readonly image: Image | null
  readonly config: OverlayConfig
}

export interface Applications {
  readonly read: (
    commit: ObjectId,
    team: TeamName,
    app: AppName,
  ) => Promise<Result<Application, GitFailure>>
}

export type ApplicationsGitHost = Pick<GitHost, 'listFiles' | 'readFiles'>

export function createApplications(
  gitHost: ApplicationsGitHost,
  repository: RepositoryId,
): Applications {
  const known = new Map<string, Application>()
  return {
    async read(commit, team, app) {
      const key = `${commit} ${team}/${app}`
      const remembered = known.get(key)
      if (remembered !== undefined) return ok(remembered)
      const read = await readApplication(gitHost, repository, commit, appPath(team, app))
      if (!read.ok) return read
      const [oldest] = known.keys()
      if (known.size >= REMEMBERED_MAX && oldest !== undefined) known.delete(oldest)
      known.set(key, read.value)
      return read
    },
  }
}

async function readApplication(
  gitHost: ApplicationsGitHost,
  repository: RepositoryId,
  commit: ObjectId,
  directory: RepositoryPath,
): Promise<Result<Application, GitFailure>> {
  const listed = await gitHost.listFiles(repository, { commit, directory })
  if (!listed.ok) return listed
  const wanted = listed.value.files.filter(({ path }) => READ.test(path.slice(directory.length)))
  const texts = await textsOf(gitHost, repository, commit, wanted)
  if (!texts.ok) return texts
  const text = (name: string) => texts.value.get(RepositoryPath.of(`${directory}/${name}`))
  const base = baseOf(text('base/xtenant-app.yaml'), text(`base/${KUSTOMIZATION_FILE}`))
  const overlays = new Map<Stage, PlacedOverlay>()
  for (const stage of pipeline) {
    for (const folder of stage.folders) {
      const kustomization = KUSTOMIZATION_NAMES.map((name) =>
        text(`overlays/${folder}/${name}`),
      ).find((found) => found !== undefined)
      if (kustomization === undefined || overlays.has(stage)) continue
      overlays.set(stage, {
        folder,
        image: base && imageIn(kustomization, base.image),
        config: configIn(text(`overlays/${folder}/${PATCH_FILE}`)),
      })
    }
  }
  return ok({ exists: listed.value.tree !== null, base, overlays })
}

/** What kustomize takes for one; we write the first. */
const KUSTOMIZATION_NAMES = [KUSTOMIZATION_FILE, 'kustomization.yml', 'Kustomization']

const READ =
  /^\/(?:base\/(?:xtenant-app|kustomization)|overlays\/[^/]+\/patch-xtenant-app)\.yaml$|^\/overlays\/[^/]+\/(?:kustomization\.ya?ml|Kustomization)$/

/** Contents of small text files at a commit. What is larger or no text counts as not there. */
export async function textsOf(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
  commit: ObjectId,
  files: Parameters<GitHost['readFiles']>[2],
  maxBytes = FILE_BYTES_MAX,
): Promise<Result<ReadonlyMap<RepositoryPath, string>, GitFailure>> {
  const texts = new Map<RepositoryPath, string>()
  if (files.length === 0) return ok(texts)
  for await (const read of gitHost.readFiles(repository, commit, files, maxBytes)) {
    if (!read.ok) return read
    const { path, bytes } = read.value
    const text = bytes === null ? undefined : decode(bytes)
    if (text !== undefined) texts.set(path, text)
  }
  return ok(texts)
}

/** With its byte order mark, if it has one: what is written back must have it too. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

type Mapping = Readonly<Record<string, unknown>>

const mapping = (value: unknown): Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const string = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function documentOf(text: string | undefined): Mapping | undefined {
  const reading = text === undefined ? undefined : readYaml(text)
  if (reading?.kind !== 'documents' || reading.documents.length !== 1) return undefined
  return mapping(reading.documents[0]?.value)
}

function baseOf(resource: string | undefined, kustomization: string | undefined): Base | null {
  const document = documentOf(resource)
  const resources = list(documentOf(kustomization)?.['resources'])
  if (document === undefined || !resources.includes('xtenant-app.yaml')) return null
  const parameters = mapping(mapping(document['spec'])['parameters'])
  const apiVersion = string(document['apiVersion'])
  const kind = string(document['kind'])
  const name = string(mapping(document['metadata'])['name'])
  const image = string(parameters['image'])
  const namespace = string(parameters['namespace'])
  if (!apiVersion || !kind || !name || !image || !namespace) return null
  const { database } = parameters
  return {
    apiVersion,
    kind,
    name,
    image: nameOfImage(image),
    namespace,
    database: mapping(database)['enabled'] === true,
    resources: mapping(parameters['resources']),
  }
}

/** `ghcr.io:443/acme/shop:1.2@sha256:…` without what comes behind the name. */
const nameOfImage = (image: string): string => image.replace(/@.*$/, '').replace(/:[^:/]*$/, '')

/** The tag as it is written: `1.10`, `0777` and `12345e7` are numbers to a YAML reader, and tags here. */
export function imageIn(kustomization: string, name: string): Image | null {
  const images = list(documentOf(kustomization)?.['images'])
  const index = images.findIndex((image) => mapping(image)['name'] === name)
  if (index < 0) return null
  const text = (key: string) => scalarText(kustomization, ['images', index, key]) ?? null
  return { tag: text('newTag'), digest: text('digest') }
}

function configIn(patch: string | undefined): OverlayConfig {
  const { replicas, resources, ingress, database } = mapping(
    mapping(documentOf(patch)?.['spec'])['parameters'],
  )
  const { host } = mapping(ingress)
  const { tier, name } = mapping(database)
  return {
    ...(typeof replicas === 'number' && { replicas }),
    ...(resources !== undefined && { resources: mapping(resources) }),
    ...(typeof host === 'string' && { ingress: { host } }),
    ...((tier === 'shared' || tier === 'dedicated') && {
      database: { tier, ...(typeof name === 'string' && { name }) },
    }),
  }
}
