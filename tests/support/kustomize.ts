import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'

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
    const build = Bun.spawn(['kubectl', 'kustomize', join(directory, folder)], { stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([build.stdout.text(), build.stderr.text()])
    if ((await build.exited) !== 0) throw new Error(stderr)
    return loadAll(stdout)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
