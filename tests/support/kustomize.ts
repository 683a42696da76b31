import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { outputOf } from '#tests/support/run-program.ts'

/** Builds the one object of a folder, see `kustomizeAll`. */
export const kustomize = async (...built: Parameters<typeof kustomizeAll>): Promise<unknown> =>
  (await kustomizeAll(...built))[0]

/** Builds a folder among these files with the real kustomize; throws its complaints. */
export async function kustomizeAll(
  files: Readonly<Record<string, Uint8Array | string>>,
  folder: string,
): Promise<readonly unknown[]> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-kustomize-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await Bun.write(join(directory, path), content)
    }
    return loadAll(await outputOf(['kubectl', 'kustomize', join(directory, folder)]))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
