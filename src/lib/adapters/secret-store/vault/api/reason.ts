import { isObject } from '../../../../text/json.ts'
import type { VaultAnswer } from './client.ts'

/** A pattern may take a time that grows with the square of a text. */
const TEXT_MAX_CHARACTERS = 2_000
const TEXTS_MAX = 8

/** The texts of a refusal, as far as they are looked at. They stay in this adapter: stores quote what they are sent. */
export function errorTexts({ json }: Pick<VaultAnswer, 'json'>): readonly string[] {
  const errors: unknown = isObject(json) ? json['errors'] : null
  return Array.isArray(errors)
    ? errors
        .slice(0, TEXTS_MAX)
        .filter((text) => typeof text === 'string')
        .map((text) => text.slice(0, TEXT_MAX_CHARACTERS))
    : []
}

/** Recognises the texts of refusals, where a status alone does not tell them apart. They are the same in Vault and OpenBao. */
export const createReasons =
  <Reason extends string>(patterns: Readonly<Record<Reason, RegExp>>) =>
  (answer: Pick<VaultAnswer, 'json'>): Reason | null => {
    const texts = errorTexts(answer)
    for (const reason in patterns) {
      if (texts.some((text) => patterns[reason].test(text))) return reason
    }
    return null
  }

/** The reason of a refusal that a caller interprets. `null`: none of those known. */
export const reasonOf = createReasons({
  /** 400: another version is the current one. */
  check_and_set_mismatch: /check-and-set parameter did not match the current version/,
  /** 400: the mount wants `cas` with each write. */
  check_and_set_required: /check-and-set parameter required for this call/,
  /** 404. */
  no_such_mount: /no handler for route /,
  /** 404. */
  no_such_namespace: /namespace not found/,
})

export type VaultReason = NonNullable<ReturnType<typeof reasonOf>>
