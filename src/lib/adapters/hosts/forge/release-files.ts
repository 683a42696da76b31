import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, onErrno } from '../../../files/errno.ts'
import { parseJson } from '../../../text/json.ts'
import { RepositoryPath } from '../../../names.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { Release } from '../../../ports/git-host.ts'
import { TAKEN } from './repositories.ts'
import { UNFINISHED } from '../../../git/sweep.ts'

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
export const readRelease = (directory: string, tag: string) => readFolder(directory, sha256Of(tag))

export async function readReleases(directory: string): Promise<readonly Release[]> {
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

export interface ReleaseUpload {
  readonly filename: RepositoryPath
  readonly bytes: Uint8Array
}

/** Puts a release in its place by one rename; `false`: the place was taken. */
export async function writeRelease(
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
export async function findUpload(directory: string, id: string): Promise<Bun.BunFile | undefined> {
  const [, key, name] = /^([0-9a-f]{64})\/([^/]+)$/.exec(id) ?? []
  const filename = RepositoryPath.parse(name)
  if (key === undefined || filename === undefined) return undefined
  const file = Bun.file(join(rootOf(directory), key, 'assets', filename))
  return (await file.exists()) ? file : undefined
}
