import { isObject } from '../../../../text/json.ts'
import type { VaultAnswer } from './client.ts'

/** Texts of Vault and OpenBao, which are the same. A status alone does not tell these apart. */
const REASONS = [
  /** 400: another version is the current one. */
  ['check_and_set_mismatch', /check-and-set parameter did not match the current version/],
  /** 400: the mount wants `cas` with each write. */
  ['check_and_set_required', /check-and-set parameter required for this call/],
  /** 400: just after a mount was made or upgraded to version 2. */
  ['mount_upgrading', /pgrad(?:e|ing) from non-versioned to versioned data/],
  /** 404. */
  ['no_such_mount', /no handler for route /],
  /** 404. */
  ['no_such_namespace', /namespace not found/],
  /** 413 for a request, 500 for an entry of the storage. */
  ['too_large', /request body too large|value being too large|exceeds the maximum/],
] as const satisfies readonly (readonly [string, RegExp])[]

export type VaultReason = (typeof REASONS)[number][0]

/** The reason of a refusal, recognised by its text. `null`: none of those known. */
export function reasonOf({ json }: Pick<VaultAnswer, 'json'>): VaultReason | null {
  const errors: unknown = isObject(json) ? json['errors'] : null
  const texts = Array.isArray(errors) ? errors.filter((text) => typeof text === 'string') : []
  const known = REASONS.find(([, pattern]) => texts.some((text) => pattern.test(text)))
  return known === undefined ? null : known[0]
}
