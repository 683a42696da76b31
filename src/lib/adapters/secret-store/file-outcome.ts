import type { SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { err, type Result } from '#src/lib/result.ts'

/** `ENOSPC` and the like; not `ERR_INVALID_ARG_TYPE`, which is a bug of ours. */
const ERRNO = /^E[A-Z0-9]+$/

const errnoOf = (cause: unknown): string | undefined =>
  cause instanceof Error &&
  'code' in cause &&
  typeof cause.code === 'string' &&
  ERRNO.test(cause.code)
    ? cause.code
    : undefined

export const storeError = (reason: string) => err({ kind: 'secret_store_error', reason })

/** For `catch`: what stands for the outcomes that are expected. Other trouble stays an exception. */
export const onErrno =
  <Value>(expected: readonly string[], instead: Value) =>
  (cause: unknown): Value => {
    const errno = errnoOf(cause)
    if (errno === undefined || !expected.includes(errno)) throw cause
    return instead
  }

/** For `catch`: leaves behind what cannot be removed now. The next write removes it, and this one is done. */
export const leaveBehind = (cause: unknown): void => {
  if (errnoOf(cause) === undefined) throw cause
}

/**
 * Runs work on files: it ends within the deadline, and what the file system refuses is a value of the code alone. Nothing
 * stops a call that hangs in the kernel; work that comes out of one later finds `signal` aborted, and must not write then.
 */
export async function settle<Value>(
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<Result<Value, SecretStoreFailure>>,
): Promise<Result<Value, SecretStoreFailure>> {
  const overdue = new AbortController()
  const late = Promise.withResolvers<Result<Value, SecretStoreFailure>>()
  const timer = setTimeout(() => {
    overdue.abort()
    late.resolve(err({ kind: 'secret_store_timeout' }))
  }, deadlineMs)
  try {
    return await Promise.race([late.promise, work(overdue.signal)])
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === undefined) throw cause
    return storeError(errno)
  } finally {
    clearTimeout(timer)
  }
}
