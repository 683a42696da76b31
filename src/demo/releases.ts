import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { LocalGitHost } from '../lib/adapters/hosts/forge/index.ts'
import { ifMissing } from '../lib/files/errno.ts'
import { updateRefs } from '../lib/git/refs.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../lib/names.ts'
import type { Release } from '../lib/ports/git-host.ts'
import { err, ok } from '../lib/result.ts'
import { Nullable } from '../lib/schema/nullable.ts'
import { parseJson } from '../lib/text/json.ts'
import { must } from './seed/git-history.ts'

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

export interface NewRelease extends Pick<Release, 'tag' | 'name' | 'notes'> {
  readonly draft?: boolean
  readonly prerelease?: boolean
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

const sha256Of = (data: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(data).digest('hex')

/**
 * Folder of the releases of a bare repository: `<SHA-256 of the tag>/` holds `release.json` and `assets/<filename>`. The id of an asset is
 * `<SHA-256 of the tag>/<filename>`.
 */
const releasesIn = (directory: string): string => join(directory, 'portico', 'releases')

/** Writes a release with its tag into a bare repository. */
export async function publishRelease(
  directory: string,
  { tag, name, notes, draft = false, prerelease = false, assets: uploads }: NewRelease,
  commit: ObjectId,
  now: number,
): Promise<void> {
  if (!draft) {
    must(await updateRefs(directory, [{ ref: `refs/tags/${tag}`, before: null, after: commit }]))
  }
  const key = sha256Of(tag)
  const folder = join(releasesIn(directory), key)
  await mkdir(join(folder, 'assets'), { recursive: true })
  for (const { filename, bytes } of uploads) {
    await writeFile(join(folder, 'assets', filename), bytes)
  }
  const assets = uploads.map(({ filename, bytes }) => ({
    id: `${key}/${filename}`,
    filename,
    sizeBytes: bytes.length,
    sha256: sha256Of(bytes),
  }))
  const publishedAt = draft ? null : now
  const release = { tag, name, notes, draft, prerelease, publishedAt, assets }
  await writeFile(join(folder, 'release.json'), JSON.stringify(release))
}

/** The embedded git host with the releases that are written below `root`, the folder of its repositories. */
export function withReleases(host: LocalGitHost, root: string): LocalGitHost {
  const folderOf = ({ owner, name }: RepositoryId) => releasesIn(join(root, owner, `${name}.git`))
  return {
    ...host,
    releases: {
      async list(repository) {
        const known = await host.releases.list(repository)
        return known.ok ? ok(await readReleases(folderOf(repository))) : known
      },
      async openAsset(repository, { id }, signal) {
        const [, key = '', name] = /^([0-9a-f]{64})\/([^/]+)$/.exec(id) ?? []
        const filename = RepositoryPath.parse(name)
        const file = Bun.file(join(folderOf(repository), key, 'assets', filename ?? ''))
        return filename !== undefined && (await file.exists())
          ? ok(file.stream().pipeThrough(new TransformStream(), { signal }))
          : err({ kind: 'git_not_found', what: 'asset' })
      },
    },
  }
}

async function readReleases(folder: string): Promise<readonly Release[]> {
  const names = await readdir(folder).catch(ifMissing([]))
  const files = names.map((name) => readFile(join(folder, name, 'release.json'), 'utf8'))
  const releases = await Promise.all(files)
  return releases.map((text) => Value.Parse(StoredRelease, parseJson(text))).toSorted(byPublication)
}

/** Drafts first: they would be the newest. */
const byPublication = (one: Release, other: Release) =>
  (other.publishedAt ?? Infinity) - (one.publishedAt ?? Infinity) || (one.tag < other.tag ? 1 : -1)
