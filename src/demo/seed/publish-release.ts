import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { releasesIn } from '../../lib/adapters/hosts/forge/releases.ts'
import { updateRefs } from '../../lib/git/refs.ts'
import type { ObjectId } from '../../lib/names.ts'
import type { Release } from '../../lib/ports/git-host.ts'
import { must } from './git-history.ts'

export interface NewRelease extends Pick<Release, 'tag' | 'name' | 'notes'> {
  readonly draft?: boolean
  readonly prerelease?: boolean
  readonly assets: readonly { readonly filename: string; readonly bytes: Uint8Array }[]
}

const sha256Of = (data: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(data).digest('hex')

/** Writes a release with its tag into a repository of the embedded git host. `directory`: the bare repository. */
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
