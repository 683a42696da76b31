import { BranchName, type ObjectId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostError } from '../../../git/git.ts'
import { readHead } from '../../../git/refs.ts'
import { resolveObjects } from '../../../git/objects.ts'
import {
  findUpload,
  readRelease,
  readReleases,
  writeRelease,
  type ReleaseUpload,
} from './release-files.ts'
import type { OpenRepository } from './repositories.ts'

export interface NewRelease {
  readonly tag: string
  readonly name: string
  readonly notes: string
  readonly draft?: boolean
  readonly prerelease?: boolean
  /** Target of a new tag; by default the tip of the default branch. */
  readonly commit?: ObjectId
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

export type ReleaseFailure =
  | GitFailure
  | {
      readonly kind: 'forge_bad_release'
      readonly reason: 'tag' | 'filename' | 'duplicate_filename'
    }

export async function listReleases(
  directory: string,
): Promise<Result<readonly Release[], GitFailure>> {
  try {
    return ok((await readReleases(directory)).toSorted(byPublication))
  } catch (cause) {
    return err(hostError(`releases cannot be read: ${String(cause)}`))
  }
}

/** Drafts first: they would be the newest. */
const byPublication = (one: Release, other: Release) =>
  (other.publishedAt ?? Infinity) - (one.publishedAt ?? Infinity) || (one.tag < other.tag ? 1 : -1)

export async function publishRelease(
  repository: OpenRepository,
  request: NewRelease,
  now: number,
): Promise<Result<{ readonly release: Release; readonly created: boolean }, ReleaseFailure>> {
  const uploads = parseUploads(request)
  if (!uploads.ok) return uploads
  const { directory } = repository
  try {
    const existing = await readRelease(directory, request.tag)
    if (existing !== undefined) return ok({ release: existing, created: false })

    const { tag, name, notes, draft = false, prerelease = false } = request
    // The tag first: a crash leaves a tag without a release, and the next attempt completes it.
    const tagged = draft ? ok(undefined) : await createTag(repository, request)
    if (!tagged.ok) return tagged
    const release = { tag, name, notes, draft, prerelease, publishedAt: draft ? null : now }
    const created = await writeRelease(directory, release, uploads.value)
    const written = await readRelease(directory, tag)
    if (written === undefined) return err(hostError('the release disappeared'))
    return ok({ release: written, created })
  } catch (cause) {
    return err(hostError(`the release cannot be written: ${String(cause)}`))
  }
}

function parseUploads({
  tag,
  assets,
}: NewRelease): Result<readonly ReleaseUpload[], ReleaseFailure> {
  if (BranchName.parse(tag) === undefined) return err({ kind: 'forge_bad_release', reason: 'tag' })
  const uploads = new Map<string, ReleaseUpload>()
  for (const { filename: text, bytes } of assets) {
    const filename = text.includes('/') ? undefined : RepositoryPath.parse(text)
    if (filename === undefined) return err({ kind: 'forge_bad_release', reason: 'filename' })
    uploads.set(filename, { filename, bytes })
  }
  return uploads.size === assets.length
    ? ok([...uploads.values()])
    : err({ kind: 'forge_bad_release', reason: 'duplicate_filename' })
}

async function createTag(
  { directory, changeRefs }: OpenRepository,
  { tag, commit }: NewRelease,
): Promise<Result<void, GitFailure>> {
  const ref = `refs/tags/${tag}`
  const head = commit === undefined ? await readHead(directory) : ok({ commit })
  if (!head.ok) return head
  const found = await resolveObjects(directory, [ref, `${head.value.commit}^{commit}`])
  if (!found.ok) return found
  const [existing = null, target = null] = found.value
  if (existing !== null) return ok(undefined)
  if (target === null) return err({ kind: 'git_not_found', what: 'commit' })
  const outcome = await changeRefs([{ ref, before: null, after: target.id }])
  return outcome.ok ? ok(undefined) : outcome
}

export async function openAsset(
  directory: string,
  { id, sizeBytes }: ReleaseAsset,
  signal: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, GitFailure>> {
  try {
    const file = await findUpload(directory, id)
    if (file === undefined) return err({ kind: 'git_not_found', what: 'asset' })
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
