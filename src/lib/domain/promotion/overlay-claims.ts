import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import { basePath } from '../gitops/layout.ts'
import { BASE_FILE, OVERLAY_BYTES_MAX, overlayFolder } from '../gitops/overlay.ts'
import { claimsIn } from './manifests.ts'
import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'

const CLAIM_FILE =
  /^apps\/[^/]+\/[^/]+\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

/** The name of something that only one overlay can have. */
export interface Claim {
  readonly kind: 'host' | 'database'
  readonly name: string
}

export interface OverlayClaim extends Claim {
  readonly path: RepositoryPath
}

/** Hosts and databases that bases and overlays claim. Files are cached by blob id, so that only new contents are read. */
export function createOverlayClaims(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
) {
  const directory = RepositoryPath.of('apps')
  let known = new Map<ObjectId, readonly Claim[]>()
  let last: { readonly commit: ObjectId; readonly claims: readonly OverlayClaim[] } | undefined

  return {
    /** The claims at a commit. */
    async read(commit: ObjectId): Promise<Result<readonly OverlayClaim[], GitFailure>> {
      if (last?.commit === commit) return ok(last.claims)
      const listed = await gitHost.listFiles(repository, { commit, directory })
      if (!listed.ok) return listed
      const claiming = listed.value.files.filter(({ path }) => CLAIM_FILE.test(path))
      const next = new Map<ObjectId, readonly Claim[]>()
      for (const { blob } of claiming) {
        const before = known.get(blob)
        if (before !== undefined) next.set(blob, before)
      }
      const unread = claiming.filter(({ blob }) => !next.has(blob))
      const pause = createTimeSlice()
      for await (const read of gitHost.readFiles(repository, commit, unread, OVERLAY_BYTES_MAX)) {
        if (!read.ok) return read
        const { blob, bytes } = read.value
        const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
        next.set(blob, text === undefined ? [] : claimsIn(text))
        await pause()
      }
      known = next
      const claims = claiming.flatMap(({ path, blob }) =>
        (next.get(blob) ?? []).map((claim) => ({ path, ...claim })),
      )
      last = { commit, claims }
      return ok(claims)
    },
  }
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
