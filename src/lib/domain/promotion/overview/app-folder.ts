import type { RepositoryPath } from '../../../names.ts'
import type { ListedFile, ListedFolder } from '../../../ports/git-host.ts'
import { ownCopy } from '../../../text/own-copy.ts'
import type { Image } from '../../gitops/overlay.ts'
import { applicationOf, isApplicationFile } from '../application.ts'
import { claimsIn } from '../overlay/manifests.ts'
import type { Claim, OverlayClaim } from '../overlay/claims.ts'
import type { Pipeline, Stage } from '../pipeline.ts'

/** Bounds of what is kept of a file: teams share the memory of the process. */
const CLAIMS_OF_FILE_MAX = 100
/** No host, database, tag or digest is longer. */
const NAME_MAX_CHARACTERS = 256

/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 512

/** As much of an application as its row and the claims need, at one commit. */
export interface AppFolder extends ReadFolder, Pick<ListedFolder, 'tree' | 'files'> {}

export interface ReadFolder {
  /** Digest of the paths and blobs that are read: the same version has the same content. */
  readonly version: string
  /** Of the files that are read. */
  readonly bytes: number
  readonly images: ReadonlyMap<Stage, Image | null>
  readonly claims: readonly OverlayClaim[]
}

const CLAIM_FILE = /^\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

/** Whether a file of an application is read. `rest`: its path below the application's folder, with a slash before it. */
export const isAppFile = (rest: string): boolean => CLAIM_FILE.test(rest) || isApplicationFile(rest)

export const sizeOf = ({ sizeBytes = USUAL_FILE_BYTES }: ListedFile): number => sizeBytes

export function versionOf(directory: string, files: readonly ListedFile[]): string {
  const digest = new Bun.CryptoHasher('sha256')
  for (const { path, blob } of files) digest.update(`${path.slice(directory.length)}\0${blob}\n`)
  return digest.digest('hex')
}

/** The texts and claims of the files of an application, as they are read. A file that is missing counts as empty. */
export interface ReadFiles {
  readonly texts: Map<RepositoryPath, string>
  readonly claims: Map<RepositoryPath, readonly OverlayClaim[]>
}

/** Takes one file: an application may have thousands of overlays, of which its row needs a few. */
export function addFile(
  directory: RepositoryPath,
  { texts, claims }: ReadFiles,
  path: RepositoryPath,
  text: string,
): void {
  const rest = path.slice(directory.length)
  if (isApplicationFile(rest)) texts.set(path, text)
  if (CLAIM_FILE.test(rest)) claims.set(path, claimsOf(path, text))
}

export function appFolderOf(
  directory: RepositoryPath,
  files: readonly ListedFile[],
  { texts, claims }: ReadFiles,
  pipeline: Pipeline,
): ReadFolder {
  const { overlays } = applicationOf(texts, directory, pipeline)
  return {
    version: versionOf(directory, files),
    bytes: files.reduce((sum, file) => sum + sizeOf(file), 0),
    images: new Map([...overlays].map(([stage, { image }]) => [stage, bounded(image)])),
    claims: files.flatMap(({ path }) => claims.get(path) ?? []),
  }
}

const claimsOf = (path: RepositoryPath, text: string): readonly OverlayClaim[] =>
  claimsIn(text)
    .slice(0, CLAIMS_OF_FILE_MAX)
    .filter(({ name }: Claim) => name.length <= NAME_MAX_CHARACTERS)
    .map(({ kind, name }) => ({ path, kind, name: ownCopy(name) }))

const bounded = (image: Image | null): Image | null =>
  image && { tag: boundedText(image.tag), digest: boundedText(image.digest) }

const boundedText = (text: string | null): string | null =>
  text === null || text.length > NAME_MAX_CHARACTERS ? null : ownCopy(text)
