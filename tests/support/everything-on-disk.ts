import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Every file below a folder, and every object of the bare git repositories there, uncompressed. */
export async function* everythingOnDisk(
  folder: string,
): AsyncGenerator<readonly [place: string, content: Uint8Array]> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) yield [path, await readFile(path)]
    if (entry.isDirectory() && entry.name.endsWith('.git')) yield [path, await objectsOf(path)]
  }
}

async function objectsOf(repository: string): Promise<Uint8Array> {
  const objects = Bun.$`git --git-dir=${repository} cat-file --batch --batch-all-objects`
  return new Uint8Array(await objects.quiet().arrayBuffer())
}
