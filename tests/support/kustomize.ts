import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'

/** Builds a folder among these files with the real kustomize; throws its complaints. */
export async function kustomize(
  files: Readonly<Record<string, Uint8Array | string>>,
  folder: string,
): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-kustomize-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await Bun.write(join(directory, path), content)
    }
    const build = Bun.spawn(['kubectl', 'kustomize', join(directory, folder)], { stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([build.stdout.text(), build.stderr.text()])
    if ((await build.exited) !== 0) throw new Error(stderr)
    return load(stdout)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
