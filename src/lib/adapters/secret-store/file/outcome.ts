import type { SecretStoreFailure } from '../../../ports/secret-store.ts'
import { errnoOf } from '../../../files/errno.ts'
import { err, type Result } from '../../../result.ts'

export const storeError = (reason: string) => err({ kind: 'secret_store_error', reason })

/**
 * Runs work on files within the deadline; errors of the file system become failures by their code. Nothing stops a call that
 * hangs in the kernel: work that resumes later finds `signal` aborted, and must not write.
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
