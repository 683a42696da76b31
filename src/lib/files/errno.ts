/** `ENOSPC` and the like; not `ERR_INVALID_ARG_TYPE`, which is a bug of ours. */
const ERRNO = /^E[A-Z0-9]+$/

/** The code by which the operating system refused a call; `undefined` for any other error. */
export const errnoOf = (cause: unknown): string | undefined =>
  cause instanceof Error &&
  'code' in cause &&
  typeof cause.code === 'string' &&
  ERRNO.test(cause.code)
    ? cause.code
    : undefined

/** For `catch`: the value that stands for the expected codes. Everything else stays an exception. */
export const onErrno =
  <Value>(expected: readonly string[], instead: Value) =>
  (cause: unknown): Value => {
    const errno = errnoOf(cause)
    if (errno === undefined || !expected.includes(errno)) throw cause
    return instead
  }

/** For `catch`: the value that stands for a file that does not exist. */
export const ifMissing = <Value>(instead: Value) => onErrno(['ENOENT', 'ENOTDIR'], instead)

/** For `catch` of a removal: leaves the file to the next attempt. */
export const leaveBehind = (cause: unknown): void => {
  if (errnoOf(cause) === undefined) throw cause
}
