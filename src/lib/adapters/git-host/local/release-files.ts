import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../../text/json.ts'
import { RepositoryPath } from '../../../names.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { Release } from '../../../ports/git-host.ts'
import { createTimeSlice } from '../../../concurrency/time-slice.ts'
import { ifMissing, ifTaken } from './file-errors.ts'

const HASH_BYTES = 256 * 1024
const UNFINISHED = '.new-'

const Stored = Type.Object({
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
 * Releases as files: `portico/releases/<sha-256 of the tag>/` holds `release.json` and `assets/<filename>`. The folder's
 * name makes any tag a file name and a tag unique.
 */
export const keyOf = (tag: string) => new Bun.CryptoHasher('sha256').update(tag).digest('hex')

const rootOf = (directory: string) => join(directory, 'portico', 'releases')

export async function readRelease(directory: string, key: string): Promise<Release | undefined> {
  const file = join(rootOf(directory), key, 'release.json')
  const text = await readFile(file, 'utf8').catch(ifMissing(undefined))
  if (text === undefined) return undefined
  const stored = parseJson(text)
  if (!Value.Check(Stored, stored)) throw new TypeError(`${file} is not a release`)
  return stored
}

export async function releaseKeys(directory: string): Promise<readonly string[]> {
  const names = await readdir(rootOf(directory)).catch(ifMissing([]))
  return names.filter((name) => !name.startsWith(UNFINISHED))
}

export interface Upload {
  readonly filename: RepositoryPath
  readonly bytes: Uint8Array
}

/** Puts a release in its place by one rename. Says `false` when its place was taken. */
export async function writeRelease(
  directory: string,
  release: Omit<Release, 'assets'>,
  uploads: readonly Upload[],
): Promise<boolean> {
  const root = rootOf(directory)
  const key = keyOf(release.tag)
  const unfinished = join(root, `${UNFINISHED}${crypto.randomUUID()}`)
  try {
    await mkdir(join(unfinished, 'assets'), { recursive: true })
    const assets = []
    for (const { filename, bytes } of uploads) {
      await writeFile(join(unfinished, 'assets', filename), bytes, { flush: true })
      const sha256 = await sha256Of(bytes)
      assets.push({ id: `${key}/${filename}`, filename, sizeBytes: bytes.length, sha256 })
    }
    const text = JSON.stringify({ ...release, assets })
    await writeFile(join(unfinished, 'release.json'), text, { flush: true })
    return await rename(unfinished, join(root, key)).then(() => true, ifTaken(false))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Opens an attachment by its id; `undefined` when there is none. */
export async function openUpload(directory: string, id: string) {
  const [, key, name] = /^([0-9a-f]{64})\/([^/]+)$/.exec(id) ?? []
  const filename = RepositoryPath.parse(name)
  if (key === undefined || filename === undefined) return undefined
  return open(join(rootOf(directory), key, 'assets', filename)).catch(ifMissing(undefined))
}

async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const pause = createTimeSlice()
  for (let start = 0; start < bytes.length; start += HASH_BYTES) {
    hash.update(bytes.subarray(start, start + HASH_BYTES))
    await pause()
  }
  return hash.digest('hex')
}
