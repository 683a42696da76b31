import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { FileListing, GitFailure, GitHost, ListedFile } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { folderBelow } from '../../folder-below.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import { basePath } from '../gitops/layout.ts'
import { BASE_FILE, OVERLAY_BYTES_MAX, overlayFolder } from '../gitops/overlay.ts'
import { claimsIn } from './manifests.ts'
import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'

const CLAIM_FILE =
  /^apps\/[^/]+\/[^/]+\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

/** Files below `apps/`. Those beyond it are left out, from the teams that have the most. */
const FILES_MAX = 100_000
/** Files of one team that claim something, and claims of one file: teams share the memory of the process. */
const FILES_OF_TEAM_MAX = 10_000
const CLAIMS_OF_FILE_MAX = 100

/** The name of something that only one overlay can have. */
export interface Claim {
  readonly kind: 'host' | 'database'
  readonly name: string
}

export interface OverlayClaim extends Claim {
  readonly path: RepositoryPath
}

export interface OverlayClaims {
  readonly claims: readonly OverlayClaim[]
  /** Folders of teams with more files than are read: further claims of theirs are unknown. */
  readonly cut: readonly string[]
}

export const NO_CLAIMS: OverlayClaims = { claims: [], cut: [] }

/**
 * Hosts and databases that bases and overlays claim. Files are cached by blob id, so that only new contents are read. A team whose folder
 * is too large loses claims of its own, and no other team's promotion.
 */
export function createOverlayClaims(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
) {
  const directory = RepositoryPath.of('apps')
  let known = new Map<ObjectId, readonly Claim[]>()
  let last: (OverlayClaims & { readonly commit: ObjectId }) | undefined

  return {
    /** The claims at a commit. */
    async read(commit: ObjectId): Promise<Result<OverlayClaims, GitFailure>> {
      if (last?.commit === commit) return ok(last)
      const listed = await gitHost.listFiles(repository, { commit, directory, filesMax: FILES_MAX })
      if (!listed.ok) return listed
      const { files, cut } = claimingIn(directory, listed.value)
      const next = new Map<ObjectId, readonly Claim[]>()
      const unread = new Map<ObjectId, ListedFile>()
      for (const file of files) {
        const before = known.get(file.blob)
        if (before === undefined) unread.set(file.blob, file)
        else next.set(file.blob, before)
      }
      const toRead = [...unread.values()]
      const pause = createTimeSlice()
      for await (const read of gitHost.readFiles(repository, commit, toRead, OVERLAY_BYTES_MAX)) {
        if (!read.ok) return read
        const { blob, bytes } = read.value
        const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
        next.set(blob, text === undefined ? [] : claimsIn(text).slice(0, CLAIMS_OF_FILE_MAX))
        await pause()
      }
      known = next
      const claims = files.flatMap(({ path, blob }) =>
        (next.get(blob) ?? []).map((claim) => ({ path, ...claim })),
      )
      last = { commit, claims, cut }
      return ok(last)
    },
  }
}

/** The files that may claim something, and the folders that are not listed whole. */
function claimingIn(directory: RepositoryPath, { files, skipped }: FileListing) {
  const cut = new Set<string>()
  for (const { rawPath, reason } of skipped) if (reason === 'too_many_files') cut.add(rawPath)
  const claiming = files.filter(({ path }) => CLAIM_FILE.test(path))
  const teams = Map.groupBy(claiming, ({ path }) => folderBelow(directory, path))
  for (const [team, { length }] of teams) if (length > FILES_OF_TEAM_MAX) cut.add(team)
  const few = [...teams.values()].flatMap((ofTeam) => ofTeam.slice(0, FILES_OF_TEAM_MAX))
  return { files: few, cut: [...cut].toSorted() }
}

/** The claim that conflicts with a wanted one. The application's own base counts if another of its environments inherits from it. */
export function conflictingClaim(
  claims: readonly OverlayClaim[],
  wanted: Claim,
  { team, app, application }: Promotable,
  stage: Stage,
): OverlayClaim | undefined {
  const isIn = (folder: string) => {
    const start = `${overlayFolder(team, app, folder)}/`
    return ({ path }: OverlayClaim) => path.startsWith(start)
  }
  const ofKind = claims.filter(({ kind }) => kind === wanted.kind)
  const isInherited = [...application.overlays].some(
    ([other, { folder }]) => other !== stage && !ofKind.some(isIn(folder)),
  )
  const base = basePath(team, app, BASE_FILE)
  return ofKind.find(
    (claim) =>
      claim.name === wanted.name &&
      !stage.folders.some((folder) => isIn(folder)(claim)) &&
      (claim.path !== base || isInherited),
  )
}
