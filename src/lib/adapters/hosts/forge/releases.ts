import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ifMissing } from '../../../files/errno.ts'
import { hostError } from '../../../git/git.ts'
import { RepositoryPath } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { parseJson } from '../../../text/json.ts'

const StoredRelease = Type.Object({
  tag: Type.String(),
  name: Type.String(),
  notes: Type.String(),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  publishedAt: Nullable(Type.Integer()),
  assets: Type.Array(
    Type.Object({
      id: Type.String(),
      filename: Type.String(),
      sizeBytes: Type.Integer(),
      sha256: Nullable(Type.String()),
    }),
  ),
})

/**
 * Releases as files: `portico/releases/<SHA-256 of the tag>/` holds `release.json` and `assets/<filename>`. An asset's id is
 * `<SHA-256 of the tag>/<filename>`. Only the demo writes them.
 */
export const releasesIn = (directory: string): string => join(directory, 'portico', 'releases')

export async function listReleases(
  directory: string,
): Promise<Result<readonly Release[], GitFailure>> {
  try {
    const names = await readdir(releasesIn(directory)).catch(ifMissing([]))
    const releases: Release[] = []
    for (const name of names) {
      const file = join(releasesIn(directory), name, 'release.json')
      const stored = parseJson(await readFile(file, 'utf8'))
      if (!Value.Check(StoredRelease, stored)) throw new TypeError(`${file} is not a release`)
      releases.push(stored)
    }
    return ok(releases.toSorted(byPublication))
  } catch (cause) {
    return err(hostError(`releases cannot be read: ${String(cause)}`))
  }
}

/** Drafts first: they would be the newest. */
const byPublication = (one: Release, other: Release) =>
  (other.publishedAt ?? Infinity) - (one.publishedAt ?? Infinity) || (one.tag < other.tag ? 1 : -1)

export async function openAsset(
  directory: string,
  { id, sizeBytes }: ReleaseAsset,
  signal: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, GitFailure>> {
  try {
    const [, key, name] = /^([0-9a-f]{64})\/([^/]+)$/.exec(id) ?? []
    const filename = RepositoryPath.parse(name)
    const file = Bun.file(join(releasesIn(directory), key ?? '', 'assets', filename ?? ''))
    const isThere = key !== undefined && filename !== undefined && (await file.exists())
    if (!isThere) return err({ kind: 'git_not_found', what: 'asset' })
    return ok(file.stream().pipeThrough(expectBytes(sizeBytes), { signal }))
  } catch (cause) {
    return err(hostError(`the asset cannot be read: ${String(cause)}`))
  }
}

/** Ends a shorter or longer stream with an error. */
function expectBytes(sizeBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let passed = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      passed += chunk.length
      controller.enqueue(chunk)
    },
    flush(controller) {
      if (passed === sizeBytes) return
      controller.error(new Error(`the asset has ${passed} bytes instead of ${sizeBytes}`))
    },
  })
}
