import { ownCopy } from '../text/own-copy.ts'

const NAME_MAX_CHARACTERS = 200
/** Control characters, line separators, and marks that turn the direction of the text around them. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu

/** The name in a commit, which its author chose freely, as one line. `null`: nothing to show. */
export function authorNameOf(raw: string | null | undefined): string | null {
  const name = (raw ?? '').replaceAll(UNSHOWN, ' ').trim()
  return name === '' ? null : ownCopy(name.slice(0, NAME_MAX_CHARACTERS))
}
