import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Processes that work in a folder; none where there is no `/proc`. */
export async function processesIn(folder: string): Promise<readonly string[]> {
  const all = await readdir('/proc').catch(() => [])
  const ids = all.filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(
    ids.map((id) => readlink(join('/proc', id, 'cwd')).catch(() => '')),
  )
  return ids.filter((_, index) => folders[index] === folder)
}
