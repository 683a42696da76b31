import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Keyring } from '../../../crypto/keyring.ts'
import { SecretPath } from '../../../names.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import type { Result } from '../../../result.ts'
import { errnoOf } from '../../../files/errno.ts'
import { settle, storeError } from './outcome.ts'
import { type EntryContent, readEntry } from './read-entry.ts'

const DEADLINE_MS = 10_000

export interface StoredEntriesOptions {
  readonly directory: string
  readonly keyring: Keyring
}

/**
 * Entries with their current values, for the commands that copy and reseal them. The port of secret stores gives no values; these go
 * to the other store alone.
 */
export interface StoredEntries {
  list(): Promise<EntryListing>
  read(path: SecretPath): Promise<Result<EntryContent, SecretStoreFailure>>
}

export interface EntryListing {
  /** Paths of folders that may be entries, sorted. */
  readonly paths: readonly SecretPath[]
  /** Everything else in the folder, which the store never made, such as symbolic links. Sorted. */
  readonly others: readonly string[]
  /** Folders that cannot be listed, with the code of the error. */
  readonly unreadable: readonly (readonly [name: string, errno: string])[]
}

/** Team, application, environment, `env`. */
const LEVELS = 4

export function createStoredEntries({ directory, keyring }: StoredEntriesOptions): StoredEntries {
  const root = resolve(directory)

  return {
    async list() {
      const paths: SecretPath[] = []
      const others: string[] = []
      const unreadable: [string, string][] = []
      const visit = async (names: readonly string[]): Promise<void> => {
        const found = await listFolder(join(root, ...names))
        if (!Array.isArray(found)) {
          unreadable.push([names.join('/'), found.errno])
          return
        }
        for (const { name, isFolder } of found) {
          const inner = [...names, name]
          const path = SecretPath.parse(inner.join('/'))
          if (isFolder && path !== undefined) paths.push(path)
          else if (isFolder && inner.length < LEVELS) await visit(inner)
          else others.push(inner.join('/'))
        }
      }
      await visit([])
      return { paths: paths.toSorted(), others: others.toSorted(), unreadable }
    },

    read: (path) =>
      settle(DEADLINE_MS, async () => {
        const versions = await readdir(join(root, path), { withFileTypes: true })
        // A pipe without a writer never opens, and a device never ends.
        return versions.every((version) => version.isFile())
          ? readEntry({ root, keyring, path })
          : storeError('version_damaged')
      }),
  }
}

/** A symbolic link is no folder: it may lead anywhere. */
async function listFolder(path: string) {
  try {
    const found = await readdir(path, { withFileTypes: true })
    return found.map((each) => ({ name: each.name, isFolder: each.isDirectory() }))
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === undefined) throw cause
    return { errno }
  }
}
