import type { SecretActor, SecretStoreFailure } from '../../../ports/secret-store.ts'
import { ok, type Result } from '../../../result.ts'
import { readMount } from './answers.ts'
import { vaultPath } from './api/client.ts'
import type { VaultCalls } from './login/calls.ts'
import { NO_ENGINE, NOT_VERSION_2, refusal, storeError } from './refusal.ts'

export type MountKind = 'absent' | 'other_engine' | 'version_1' | 'version_2'

/** Asks as the store's own command line does before `kv` commands. Any right below the mount allows it. */
export async function askMount(
  calls: Pick<VaultCalls, 'call'>,
  actor: SecretActor,
  mount: string,
): Promise<Result<MountKind, SecretStoreFailure>> {
  const path = vaultPath`sys/internal/ui/mounts/${mount}`
  const right = `any right below ${mount}/, which must exist`
  const answered = await calls.call(actor, { method: 'GET', path, repeatable: true }, right)
  if (!answered.ok) return answered
  const found = readMount(answered.value)
  if (found === undefined) return refusal(answered.value)
  // The answer is about the mount that the path lies in.
  if (found.path !== `${mount}/`) return ok('absent')
  if (found.type !== 'kv') return ok('other_engine')
  return ok(found.options?.['version'] === '2' ? 'version_2' : 'version_1')
}

/** Asks, until the answer was yes once, whether the mount is KV version 2. */
export type MountProof = (
  calls: Pick<VaultCalls, 'call'>,
  actor: SecretActor,
) => Promise<Result<void, SecretStoreFailure>>

/**
 * KV version 1 tells of no entry what version 2 tells of an absent one, and a write would succeed, as an entry of another path.
 */
export function createMountProof(mount: string): MountProof {
  let isProven = false
  return async (calls, actor) => {
    if (isProven) return ok(undefined)
    const asked = await askMount(calls, actor, mount)
    if (!asked.ok) return asked
    if (asked.value === 'absent') return storeError(NO_ENGINE)
    isProven = asked.value === 'version_2'
    return isProven ? ok(undefined) : storeError(NOT_VERSION_2)
  }
}
