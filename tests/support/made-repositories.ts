import { cpSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { type RepositoryId, RepositoryPath, TeamName } from '#src/lib/names.ts'
import { sharedFolder } from './shared-folder.ts'

export type RepositoryFiles = Readonly<Record<string, string | Uint8Array>>

/** Larger repositories are not kept. */
const KEPT_CHARACTERS_MAX = 64 * 1024
const AUTHOR = { name: 'Ann', email: 'ann@acme.example' }

const kept = new Map<string, Promise<string>>()

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
  // Hundreds of small files: each asynchronous copy costs two changes of thread.
  cpSync(await origin, directory, { recursive: true })
}

async function makeOrigin(id: RepositoryId, files: RepositoryFiles): Promise<string> {
  const directory = await mkdtemp(join(sharedFolder(), 'made-'))
  await make(directory, id, files)
  return directory
}

async function make(directory: string, id: RepositoryId, files: RepositoryFiles): Promise<void> {
  const made = await createLocalGitHost({ directory, publicUrl: '' }).createRepository(id, {
    description: id.name,
    team: TeamName.of('platform'),
    marker: 'test',
    message: 'First commit',
    author: AUTHOR,
    files: Object.entries(files).map(([name, content]) => ({
      kind: 'write',
      path: RepositoryPath.of(name),
      bytes: Buffer.from(content),
    })),
  })
  if (!made.ok) throw new Error(made.error.kind)
}

const textOf = (content: string | Uint8Array): unknown =>
  typeof content === 'string' ? content : [Buffer.from(content).toString('base64')]
