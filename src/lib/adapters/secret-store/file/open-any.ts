import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Keyring } from '../../../crypto/keyring.ts'
import { SecretPath } from '../../../names.ts'
import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { err, ok, type Result } from '../../../result.ts'
import { onErrno } from '../../../files/errno.ts'
import { readEntry } from './read-entry.ts'

/** The search ends after so many entries that no key opens: fewer may have been copied from another store by mistake. */
const SEALED_MAX = 100
/** Team, application, environment, `env`. */
const LEVELS = 4

/** Whether one of the keys opens an entry, or there is none. Ends at the first entry that opens. */
export async function openAny(
  root: string,
  keyring: Keyring,
): Promise<Result<void, SecretStoreFailure>> {
  let sealed = 0
  for await (const path of pathsBelow(root)) {
    const entry = await readEntry({ root, keyring, path })
    if (entry.ok && entry.value.version > 0) return ok(undefined)
    if (!entry.ok && entry.error.kind === 'secret_store_sealed') sealed += 1
    if (sealed >= SEALED_MAX) break
  }
  if (sealed === 0) return ok(undefined)
  const what = `SECRET_STORE_KEYS: no key opens any of ${sealed} entries`
  return err({ kind: 'secret_store_denied', what })
}

async function* pathsBelow(
  root: string,
  names: readonly string[] = [],
): AsyncGenerator<SecretPath> {
  const found = await readdir(join(root, ...names), { withFileTypes: true }).catch(
    onErrno(['ENOENT'], []),
  )
  for (const folder of found) {
    if (!folder.isDirectory()) continue
    const inner = [...names, folder.name]
    const path = SecretPath.parse(inner.join('/'))
    if (path !== undefined) yield path
    else if (inner.length < LEVELS) yield* pathsBelow(root, inner)
  }
}
