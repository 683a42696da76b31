import { join, resolve } from 'node:path'
import type { Keyring } from '../../../crypto/keyring.ts'
import type { SecretPath } from '../../../names.ts'
import type {
  PresentEntry,
  SecretEntry,
  SecretStore,
  SecretVersion,
} from '../../../ports/secret-store.ts'
import { err, ok } from '../../../result.ts'
import { leaveBehind } from '../../../files/errno.ts'
import { checkWritableFolder } from '../../../files/writable-folder.ts'
import { openAny } from './open-any.ts'
import { settle, storeError } from './outcome.ts'
import { type EntryContent, readEntry, VERSION_BYTES_MAX } from './read-entry.ts'
import { sealVersion } from './sealed-version.ts'
import { makeFolder, removeOldVersions, stageVersion, sweepStaged } from './version-folder.ts'

const DEADLINE_MS = 10_000
const VERSIONS_KEPT = 10
const SWEEP_EVERY_MS = 60 * 60_000

export interface FileSecretStoreOptions {
  /** Folder of the entries, created when missing. Several processes may share it. Its file system must have hard links. */
  readonly directory: string
  readonly keyring: Keyring
  /** At least 1. */
  readonly versionsKept?: number
  readonly deadlineMs?: number
}

/**
 * Entries as folders, `<directory>/<path>/<version>.sealed`. A version is staged and then hard-linked to its name, which only
 * one writer can do, across processes. Write access to the files allows setting an entry back to a kept version or removing it, but
 * neither reading nor forging one.
 */
export function createFileSecretStore({
  directory,
  keyring,
  versionsKept = VERSIONS_KEPT,
  deadlineMs = DEADLINE_MS,
}: FileSecretStoreOptions): SecretStore {
  const root = resolve(directory)
  let sweepFrom = 0

  const read = (path: SecretPath) => readEntry({ root, keyring, path })

  /** In the background, with the first write of a process and then once an hour. */
  function sweepNowAndThen(): void {
    if (performance.now() < sweepFrom) return
    sweepFrom = performance.now() + SWEEP_EVERY_MS
    void sweepStaged(root)
  }

  /** Answers whether the version was published. An error leaves the entry unchanged, unless the disk failed to keep the new name. */
  async function write(
    path: SecretPath,
    version: SecretVersion,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<boolean> {
    const folder = join(root, path)
    if (version === 1) await makeFolder(root, folder)
    await using staged = await stageVersion(folder, version, bytes)
    if (staged === undefined || signal.aborted || !(await staged.publish())) return false
    await removeOldVersions(folder, version, versionsKept).catch(leaveBehind)
    sweepNowAndThen()
    return true
  }

  return {
    knowsPersons: false,

    describe: (path) =>
      settle(deadlineMs, async () => {
        const found = await read(path)
        return found.ok ? ok(toEntry(found.value)) : found
      }),

    merge: (path, expected, values) =>
      settle(deadlineMs, async (signal) => {
        const found = await read(path)
        if (!found.ok) return found
        if (found.value.version !== expected) return err({ kind: 'secret_conflict' })
        const version = expected + 1
        const merged = new Map([...(found.value.values ?? []), ...Object.entries(values)])
        const bytes = sealVersion(keyring, path, version, merged)
        if (bytes.length > VERSION_BYTES_MAX) return storeError('version_too_large')
        const published = await write(path, version, bytes, signal)
        return published ? ok(undefined) : err({ kind: 'secret_conflict' })
      }),

    label: async () => ok(undefined),
    mayCreate: async () => ok(undefined),
    access: () => settle(deadlineMs, () => openAny(root, keyring)),
    check: async () => [await checkWritableFolder(root, 'The sealed secrets of applications')],
    async close() {},
  }
}

const toEntry = ({ version, values }: EntryContent): SecretEntry =>
  values === null ? { kind: 'absent', version } : present(version, values)

const present = (version: SecretVersion, values: ReadonlyMap<string, string>): PresentEntry => ({
  kind: 'present',
  version,
  keys: [...values.keys()].toSorted(),
  origin: null,
})
