import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { createTimeSlice } from '../../concurrency/time-slice.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'
import { basePath } from '../gitops/layout.ts'
import { BASE_FILE, OVERLAY_BYTES_MAX, overlayFolder } from '../gitops/overlay.ts'
import { hostsIn } from './manifests.ts'
import type { Stage } from './pipeline.ts'
import type { Promotable } from './subject.ts'

const CLAIM_FILE =
  /^apps\/[^/]+\/[^/]+\/(?:base\/xtenant-app\.yaml|overlays\/[^/]+\/patch[^/]*\.ya?ml)$/

export interface HostClaim {
  readonly path: RepositoryPath
  readonly host: string
}

/** Hosts that bases and overlays claim. Files are cached by blob id, so that only new contents are read. */
export function createHosts(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
) {
  const directory = RepositoryPath.of('apps')
  let known = new Map<ObjectId, readonly string[]>()
  let last: { readonly commit: ObjectId; readonly claims: readonly HostClaim[] } | undefined

  return {
    /** The claims at a commit. */
    async read(commit: ObjectId): Promise<Result<readonly HostClaim[], GitFailure>> {
      if (last?.commit === commit) return ok(last.claims)
      const listed = await gitHost.listFiles(repository, { commit, directory })
      if (!listed.ok) return listed
      const claiming = listed.value.files.filter(({ path }) => CLAIM_FILE.test(path))
      const next = new Map<ObjectId, readonly string[]>()
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
        next.set(blob, text === undefined ? [] : hostsIn(text).map(normalise))
        await pause()
      }
      known = next
      const claims = claiming.flatMap(({ path, blob }) =>
        (next.get(blob) ?? []).map((host) => ({ path, host })),
      )
      last = { commit, claims }
      return ok(claims)
    },
  }
}

/** DNS ignores case and a trailing dot. */
const normalise = (host: string): string => host.toLowerCase().replace(/\.$/, '')

/** The claim that conflicts with a host. The application's own base counts if another of its environments inherits the base's host. */
export function claimOf(
  claims: readonly HostClaim[],
  host: string,
  { team, app, application }: Promotable,
  stage: Stage,
): HostClaim | undefined {
  const isIn = (folder: string) => {
    const start = `${overlayFolder(team, app, folder)}/`
    return ({ path }: HostClaim) => path.startsWith(start)
  }
  const isInherited = [...application.overlays].some(
    ([other, { folder }]) => other !== stage && !claims.some(isIn(folder)),
  )
  const base = basePath(team, app, BASE_FILE)
  return claims.find(
    (claim) =>
      claim.host === host &&
      !stage.folders.some((folder) => isIn(folder)(claim)) &&
      (claim.path !== base || isInherited),
  )
}
