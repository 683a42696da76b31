import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, onErrno } from '../../../files/errno.ts'
import { parseJson } from '../../../text/json.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { UNFINISHED } from '../../../git/sweep.ts'
import { BranchName, type ObjectId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, Release, ReleaseAsset } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostError } from '../../../git/git.ts'
import { readHead } from '../../../git/refs.ts'
import { resolveObjects } from '../../../git/objects.ts'
import { type OpenRepository, TAKEN } from './repositories.ts'

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

const sha256Of = (data: string | Uint8Array) =>
  new Bun.CryptoHasher('sha256').update(data).digest('hex')

const rootOf = (directory: string) => join(directory, 'portico', 'releases')

/**
 * Releases as files: `portico/releases/<SHA-256 of the tag>/` holds `release.json` and `assets/<filename>`. The digest makes
 * any tag a file name and a tag unique.
 */
const readRelease = (directory: string, tag: string) => readFolder(directory, sha256Of(tag))

async function readReleases(directory: string): Promise<readonly Release[]> {
  const names = await readdir(rootOf(directory)).catch(ifMissing([]))
  const releases: Release[] = []
  for (const name of names.filter((one) => !one.startsWith(UNFINISHED))) {
    const release = await readFolder(directory, name)
    if (release !== undefined) releases.push(release)
  }
  return releases
}

async function readFolder(directory: string, name: string): Promise<Release | undefined> {
  const file = join(rootOf(directory), name, 'release.json')
  const text = await readFile(file, 'utf8').catch(ifMissing(undefined))
  if (text === undefined) return undefined
  const stored = parseJson(text)
  if (!Value.Check(StoredRelease, stored)) throw new TypeError(`${file} is not a release`)
  return stored
}

interface ReleaseUpload {
  readonly filename: RepositoryPath
  readonly bytes: Uint8Array
}

/** Puts a release in its place by one rename; `false`: the place was taken. */
async function writeRelease(
  directory: string,
  release: Omit<Release, 'assets'>,
  uploads: readonly ReleaseUpload[],
): Promise<boolean> {
  const root = rootOf(directory)
  const key = sha256Of(release.tag)
  const unfinished = join(root, `${UNFINISHED}${crypto.randomUUID()}`)
  try {
    await mkdir(join(unfinished, 'assets'), { recursive: true })
    const assets = []
    for (const { filename, bytes } of uploads) {
      await writeFile(join(unfinished, 'assets', filename), bytes, { flush: true })
      const sha256 = sha256Of(bytes)
      assets.push({ id: `${key}/${filename}`, filename, sizeBytes: bytes.length, sha256 })
    }
    const text = JSON.stringify({ ...release, assets })
    await writeFile(join(unfinished, 'release.json'), text, { flush: true })
    return await rename(unfinished, join(root, key)).then(() => true, onErrno(TAKEN, false))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** An attachment by its id; `undefined` when there is none. */
async function findUpload(directory: string, id: string): Promise<Bun.BunFile | undefined> {
  const [, key, name] = /^([0-9a-f]{64})\/([^/]+)$/.exec(id) ?? []
  const filename = RepositoryPath.parse(name)
  if (key === undefined || filename === undefined) return undefined
  const file = Bun.file(join(rootOf(directory), key, 'assets', filename))
  return (await file.exists()) ? file : undefined
}
