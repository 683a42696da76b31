import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { createTimeSlice } from '../../time-slice.ts'
import { readYaml } from '../catalog/read-yaml.ts'

const PATCH_BYTES_MAX = 64 * 1024
const PATCH = /\/overlays\/[^/]+\/patch-xtenant-app\.yaml$/

export interface HostClaim {
  readonly path: RepositoryPath
  readonly host: string
}

/** Which overlays claim which hosts. Reads only patches that it has not read before: their contents are known by their ids. */
export function createHosts(
  gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
  repository: RepositoryId,
) {
  const directory = RepositoryPath.of('apps')
  let known = new Map<ObjectId, string | null>()
  let last: { readonly commit: ObjectId; readonly claims: readonly HostClaim[] } | undefined

  return {
    /** As a commit has them. */
    async read(commit: ObjectId): Promise<Result<readonly HostClaim[], GitFailure>> {
      if (last?.commit === commit) return ok(last.claims)
      const listed = await gitHost.listFiles(repository, { commit, directory })
      if (!listed.ok) return listed
      const patches = listed.value.files.filter(({ path }) => PATCH.test(path))
      const next = new Map<ObjectId, string | null>()
      for (const { blob } of patches) {
        const before = known.get(blob)
        if (before !== undefined) next.set(blob, before)
      }
      const unread = patches.filter(({ blob }) => !next.has(blob))
      const pause = createTimeSlice()
      for await (const read of gitHost.readFiles(repository, commit, unread, PATCH_BYTES_MAX)) {
        if (!read.ok) return read
        next.set(read.value.blob, hostIn(read.value.bytes))
        await pause()
      }
      known = next
      const claims = patches.flatMap(({ path, blob }) => {
        const host = next.get(blob)
        return host ? [{ path, host }] : []
      })
      last = { commit, claims }
      return ok(claims)
    },
  }
}

function hostIn(bytes: Uint8Array | null): string | null {
  const reading = bytes === null ? undefined : readYaml(new TextDecoder().decode(bytes))
  if (reading?.kind !== 'documents') return null
  const [document] = reading.documents
  const host = ['spec', 'parameters', 'ingress', 'host'].reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Object.entries(value).find(([name]) => name === key)?.[1]
        : undefined,
    document?.value,
  )
  // DNS knows no case, and a name with its root is the same name.
  return typeof host === 'string' ? host.toLowerCase().replace(/\.$/, '') : null
}
