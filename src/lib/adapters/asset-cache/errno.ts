/** `ENOSPC` and the like; not `ERR_INVALID_ARG_TYPE`, which is a bug of ours. */
const ERRNO = /^E[A-Z0-9]+$/

export const errnoOf = (cause: unknown): string | undefined =>
  cause instanceof Error &&
  'code' in cause &&
  typeof cause.code === 'string' &&
  ERRNO.test(cause.code)
    ? cause.code
    : undefined

/** For `catch`: what stands for a file that is not there, or that another process has removed. */
export const ifMissing =
  <Value>(instead: Value) =>
  (cause: unknown): Value => {
    if (errnoOf(cause) === 'ENOENT') return instead
    throw cause
  }

/** For `catch`: leaves behind what cannot be removed now. It is removed when room is made the next time. */
export const leaveBehind = (cause: unknown): void => {
  if (errnoOf(cause) === undefined) throw cause
}
