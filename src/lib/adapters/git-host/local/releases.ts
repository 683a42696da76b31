import type { FileHandle } from 'node:fs/promises'
import { BranchName, RepositoryPath } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { ForgeFailure, NewRelease } from './forge.ts'
import { hostError } from './git.ts'
import { readHead } from './head.ts'
import { resolveObjects } from './objects.ts'
import { changeRefs, type RefChange } from './refs.ts'
import {
  keyOf,
  openUpload,
  readRelease,
  releaseKeys,
  writeRelease,
  type Upload,
} from './release-files.ts'

const CHUNK_BYTES = 64 * 1024

export async function listReleases(
  directory: string,
): Promise<Result<readonly Release[], GitFailure>> {
  try {
    const releases: Release[] = []
    for (const key of await releaseKeys(directory)) {
      const release = await readRelease(directory, key)
      if (release !== undefined) releases.push(release)
    }
    return ok(releases.toSorted(byPublication))
  } catch (cause) {
    return err(hostError(`releases cannot be read: ${String(cause)}`))
  }
}

/** Drafts are about to be the newest. */
const byPublication = (one: Release, other: Release) =>
  (other.publishedAt ?? Infinity) - (one.publishedAt ?? Infinity) || (one.tag < other.tag ? 1 : -1)

export interface Published {
  readonly release: Release
  readonly created: boolean
  readonly changes: readonly RefChange[]
}

export async function publish(
  directory: string,
  request: NewRelease,
  now: number,
): Promise<Result<Published, ForgeFailure>> {
  const uploads = parseUploads(request)
  if (!uploads.ok) return uploads
  const key = keyOf(request.tag)
  try {
    const existing = await readRelease(directory, key)
    if (existing !== undefined) return ok({ release: existing, created: false, changes: [] })

    const { tag, name, notes, draft = false, prerelease = false } = request
    // The tag first: a crash leaves a tag without a release, which asking again completes.
    const tagged = draft ? ok([]) : await createTag(directory, request)
    if (!tagged.ok) return tagged
    const release = { tag, name, notes, draft, prerelease, publishedAt: draft ? null : now }
    const created = await writeRelease(directory, release, uploads.value)
    const written = await readRelease(directory, key)
    if (written === undefined) return err(hostError('the release disappeared'))
    return ok({ release: written, created, changes: tagged.value })
  } catch (cause) {
    return err(hostError(`the release cannot be written: ${String(cause)}`))
  }
}

function parseUploads({ tag, assets }: NewRelease): Result<readonly Upload[], ForgeFailure> {
  if (BranchName.parse(tag) === undefined) return err({ kind: 'forge_bad_release', reason: 'tag' })
  const uploads: Upload[] = []
  for (const { filename: text, bytes } of assets) {
    const filename = text.includes('/') ? undefined : RepositoryPath.parse(text)
    if (filename === undefined) return err({ kind: 'forge_bad_release', reason: 'filename' })
    uploads.push({ filename, bytes })
  }
  return new Set(uploads.map(({ filename }) => filename)).size === uploads.length
    ? ok(uploads)
    : err({ kind: 'forge_bad_release', reason: 'duplicate_filename' })
}

async function createTag(
  directory: string,
  { tag, commit }: NewRelease,
): Promise<Result<readonly RefChange[], GitFailure>> {
  const ref = `refs/tags/${tag}`
  const head = commit === undefined ? await readHead(directory) : ok({ commit })
  if (!head.ok) return head
  const found = await resolveObjects(directory, [ref, `${head.value.commit}^{commit}`])
  if (!found.ok) return found
  const [existing = null, target = null] = found.value
  if (existing !== null) return ok([])
  if (target === null) return err({ kind: 'git_not_found', what: 'commit' })
  const change = { ref, before: null, after: target.id }
  const outcome = await changeRefs(directory, [change])
  if (!outcome.ok) return outcome
  return ok(outcome.value === 'changed' ? [change] : [])
}

export async function openAsset(
  directory: string,
  { id, sizeBytes }: ReleaseAsset,
  signal: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, GitFailure>> {
  try {
    const file = await openUpload(directory, id)
    if (file === undefined) return err({ kind: 'git_not_found', what: 'asset' })
    return ok(streamFile(file, sizeBytes, signal))
  } catch (cause) {
    return err(hostError(`the asset cannot be read: ${String(cause)}`))
  }
}

/** The file's bytes, and an error instead of a shorter file. Closes it at the end, by the reader or by the signal. */
function streamFile(
  file: FileHandle,
  sizeBytes: number,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal.throwIfAborted()
          const chunk = new Uint8Array(CHUNK_BYTES)
          const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, sent)
          signal.throwIfAborted()
          sent += bytesRead
          if (bytesRead > 0) return controller.enqueue(chunk.subarray(0, bytesRead))
          if (sent !== sizeBytes)
            throw new Error(`the asset ends after ${sent} of ${sizeBytes} bytes`)
          controller.close()
          await file.close()
        } catch (cause) {
          controller.error(cause)
          await file.close().catch(() => {})
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}
