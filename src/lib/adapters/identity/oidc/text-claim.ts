/** OpenID Connect Core 1.0 §2. */
export const SUBJECT_MAX_LENGTH = 255
/** Together with the issuer it must fit into an index of PostgreSQL, whose entries have at most 2.7 KB. */
export const SESSION_ID_MAX_LENGTH = 512

/** Whether a claim is one line of text, neither blank nor longer than `maxLength`. PostgreSQL takes no text with a NUL. */
export const isText = (claim: unknown, maxLength: number): claim is string =>
  typeof claim === 'string' &&
  claim.length <= maxLength &&
  claim.trim() !== '' &&
  claim.isWellFormed() &&
  !/\p{Cc}/u.test(claim)
