import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { type RepositoryId } from '#src/lib/names.ts'
import { createRepository } from './repository.ts'
import { sharedFolder } from './shared-folder.ts'

export type RepositoryFiles = Readonly<Record<string, string | Uint8Array>>

/** Larger repositories are not kept. */
const KEPT_CHARACTERS_MAX = 64 * 1024

/** A folder in memory, by paths below it; each folder stands before what is in it. */
interface Tree {
  readonly folders: readonly string[]
  readonly files: readonly (readonly [string, Uint8Array])[]
}

const kept = new Map<string, Promise<Tree>>()

/** Makes a repository of the embedded git host. One of the same content is copied, which takes a tenth of the time. */
export async function makeRepository(
  directory: string,
  id: RepositoryId,
  files: RepositoryFiles,
): Promise<void> {
  const key = JSON.stringify([
    id,
    Object.entries(files).map(([name, content]) => [name, textOf(content)]),
  ])
  if (key.length > KEPT_CHARACTERS_MAX) return make(directory, id, files)
  const origin = kept.get(key) ?? makeOrigin(id, files)
  kept.set(key, origin)
  // Hundreds of small files: each asynchronous call costs two changes of thread.
  const { folders, files: content } = await origin
  for (const folder of folders) mkdirSync(join(directory, folder), { recursive: true })
  for (const [file, bytes] of content) writeFileSync(join(directory, file), bytes)
}

async function makeOrigin(id: RepositoryId, files: RepositoryFiles): Promise<Tree> {
  const directory = await mkdtemp(join(sharedFolder(), 'made-'))
  await make(directory, id, files)
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pathsOf = (isWanted: (entry: (typeof entries)[number]) => boolean) =>
    entries
      .filter(isWanted)
      .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
      .toSorted()
  return {
    folders: pathsOf((entry) => entry.isDirectory()),
    files: pathsOf((entry) => entry.isFile()).map((file) => [
      file,
      readFileSync(join(directory, file)),
    ]),
  }
}

const make = (directory: string, id: RepositoryId, files: RepositoryFiles) =>
  createRepository(createLocalGitHost({ directory, publicUrl: '' }), id, files)

const textOf = (content: string | Uint8Array): unknown =>
  typeof content === 'string' ? content : [Buffer.from(content).toString('base64')]
