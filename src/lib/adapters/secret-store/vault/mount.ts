import type { SecretActor, SecretStoreFailure } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { readMount } from './answers.ts'
import { vaultPath } from './api/client.ts'
import type { VaultCalls } from './login/calls.ts'
import { NO_ENGINE, NOT_VERSION_2, refusal, storeError } from './refusal.ts'

/** Asks, until the answer was yes once, whether the mount is KV version 2. */
export type MountProof = (actor: SecretActor) => Promise<Result<void, SecretStoreFailure>>

/**
 * KV version 1 tells of no entry what version 2 tells of an absent one, and a write would succeed, as an entry of another path. Anybody
 * with a right below a mount is told its version; the store's own command line asks in the same way.
 */
export function createMountProof({
  calls,
  mount,
}: {
  readonly calls: VaultCalls
  readonly mount: string
}): MountProof {
  let isProven = false
  return async (actor) => {
    if (isProven) return ok(undefined)
    const path = vaultPath`sys/internal/ui/mounts/${mount}`
    const right = `any right below ${mount}/, which must exist`
    const answered = await calls.call(actor, { method: 'GET', path, repeatable: true }, right)
    if (!answered.ok) return answered
    const found = readMount(answered.value)
    if (found === undefined) return refusal(answered.value)
    // The answer is about the mount that the path lies in.
    if (found.path !== `${mount}/`) return storeError(NO_ENGINE)
    // The store lets no other kind of engine have a version.
    isProven = found.options?.['version'] === '2'
    return isProven ? ok(undefined) : storeError(NOT_VERSION_2)
  }
}
