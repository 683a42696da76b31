import { err } from '../../../result.ts'
import type { VaultAnswer } from './api/client.ts'
import { undocumented } from './api/fault.ts'
import { reasonOf, type VaultReason } from './api/reason.ts'

export const storeError = (reason: string) => err({ kind: 'secret_store_error', reason })

export const NO_ENGINE = 'there is no secrets engine at VAULT_MOUNT'
export const NOT_VERSION_2 = 'VAULT_MOUNT is not a KV secrets engine of version 2'

const TEXTS: Readonly<Record<Exclude<VaultReason, 'check_and_set_mismatch'>, string>> = {
  check_and_set_required: NOT_VERSION_2,
  no_such_mount: NO_ENGINE,
  no_such_namespace: 'there is no namespace VAULT_NAMESPACE',
}

/** The failure for an answer that is none of those that a call expects. */
export function refusal(answer: VaultAnswer) {
  const reason = reasonOf(answer)
  if (reason === 'check_and_set_mismatch') return err({ kind: 'secret_conflict' })
  if (reason !== null) return storeError(TEXTS[reason])
  return answer.status === 405
    ? storeError(NOT_VERSION_2)
    : err(undocumented(answer.status).failure)
}
