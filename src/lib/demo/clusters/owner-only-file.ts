import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ONLY_FILE = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Writes a file that nobody else may read. By rename: a process that ends in the middle leaves no half of one. */
export async function writeOwnerOnly(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const unfinished = `${path}.${crypto.randomUUID()}.new`
  await writeFile(unfinished, text, { mode: OWNER_ONLY_FILE })
  await rename(unfinished, path)
}
