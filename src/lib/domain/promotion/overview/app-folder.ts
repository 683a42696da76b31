import type { RepositoryPath } from '../../../names.ts'
import type { ListedFile } from '../../../ports/git-host.ts'
import { lazily } from '../../../concurrency/lazily.ts'
import { ownCopy } from '../../../text/own-copy.ts'
import { type Image, PATCH_FILE } from '../../gitops/overlay.ts'
import { applicationOf, isApplicationFile, overlaysIn } from '../application.ts'
import { claimsIn } from '../overlay/manifests.ts'
import type { Claim, OverlayClaim } from '../overlay/claims.ts'
import type { Pipeline, Stage } from '../pipeline.ts'
import type { Texts } from '../texts.ts'

/** Bounds of what is kept of a file: teams share the memory of the process. */
const CLAIMS_OF_FILE_MAX = 100
/** No host, database, tag or digest is longer. */
const NAME_MAX_CHARACTERS = 256

/** Stands for a size that the git host does not say. */
const USUAL_FILE_BYTES = 512

/** As much of an application as its row needs, at one commit, and where its claims are. */
export interface AppFolder {
  /** Digest of the paths and blobs that are read: the same version has the same content. */
  readonly version: string
  /** The same of the files that a row is made of. */
  readonly rowVersion: string
  /** Of the files that are read. */
  readonly bytes: number
  /** The environments that have an overlay. */
  readonly stages: ReadonlySet<Stage>
  /** Their images, parsed when somebody asks: that is most of the time of a first load. The texts are kept until then. */
  readonly images: () => ReadonlyMap<Stage, Image | null>
  readonly claims: FolderClaims
}

/** Equal versions of a folder share it, so that its files are read once. */
export interface FolderClaims {
  readonly files: readonly ListedFile[]
  /** Unless they are not read yet, or one of the files is damaged. */
  known?: readonly OverlayClaim[]
}

const CLAIM_FILE = /^\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

/** Whether a file of an application is read at some time. `rest`: its path below the application's folder, with a slash before it. */
export const isAppFile = (rest: string): boolean => CLAIM_FILE.test(rest) || isApplicationFile(rest)

/** Whether the row of an application needs the file. */
export const isRowFile = (rest: string): boolean =>
  isApplicationFile(rest) && !rest.endsWith(`/${PATCH_FILE}`)

export const sizeOf = ({ sizeBytes = USUAL_FILE_BYTES }: ListedFile): number => sizeBytes

export function versionOf(directory: string, files: readonly ListedFile[]): string {
  const digest = new Bun.CryptoHasher('sha256')
  for (const { path, blob } of files) digest.update(`${path.slice(directory.length)}\0${blob}\n`)
  return digest.digest('hex')
}

export function appFolderOf(
  directory: RepositoryPath,
  files: readonly ListedFile[],
  texts: Texts,
  pipeline: Pipeline,
): AppFolder {
  const isOfRow = ({ path }: ListedFile) => isRowFile(path.slice(directory.length))
  let unread: Texts = texts
  return {
    version: versionOf(directory, files),
    rowVersion: versionOf(directory, files.filter(isOfRow)),
    bytes: files.reduce((sum, file) => sum + sizeOf(file), 0),
    stages: new Set(overlaysIn(texts, directory, pipeline).map(({ stage }) => stage)),
    images: lazily(() => {
      const { overlays } = applicationOf(unread, directory, pipeline)
      unread = new Map()
      return new Map([...overlays].map(([stage, { image }]) => [stage, bounded(image)]))
    }),
    claims: { files: files.filter(({ path }) => CLAIM_FILE.test(path.slice(directory.length))) },
  }
}

export const claimsOf = (path: RepositoryPath, text: string): readonly OverlayClaim[] =>
  claimsIn(text)
    .slice(0, CLAIMS_OF_FILE_MAX)
    .filter(({ name }: Claim) => name.length <= NAME_MAX_CHARACTERS)
    .map(({ kind, name }) => ({ path, kind, name: ownCopy(name) }))

const bounded = (image: Image | null): Image | null =>
  image && { tag: boundedText(image.tag), digest: boundedText(image.digest) }

const boundedText = (text: string | null): string | null =>
  text === null || text.length > NAME_MAX_CHARACTERS ? null : ownCopy(text)
