import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BareRepository } from './bare-repository.ts'

/** `null` deletes the path, which has to be there. */
export interface TreeChange {
  readonly path: string
  /** Six digits, and the id of an object. */
  readonly entry: { readonly mode: string; readonly id: string } | null
}

const NOTHING = `0 ${'0'.repeat(40)}`

/** Id of the tree that the changes make of `base`, which `null` leaves empty. */
export async function changeTree(
  repository: BareRepository,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string> {
  for (const { path, entry } of changes) {
    if (entry === null) await repository.git(['rev-parse', '--verify', `${base}:${path}`])
  }
  const index = join(repository.directory, `index-${crypto.randomUUID()}`)
  const inIndex = (args: readonly string[], stdin?: string) =>
    repository.git(args, stdin, { GIT_INDEX_FILE: index })
  const lines = changes.map(
    ({ path, entry }) => `${entry === null ? NOTHING : `${entry.mode} ${entry.id}`}\t${path}\0`,
  )
  try {
    if (base !== null) await inIndex(['read-tree', base])
    await inIndex(['update-index', '-z', '--index-info'], lines.join(''))
    return (await inIndex(['write-tree', '--missing-ok'])).toString().trim()
  } finally {
    await rm(index, { force: true })
  }
}
