const codeOf = (cause: unknown) =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined

const isMissing = (cause: unknown) => codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR'
const isTaken = (cause: unknown) => codeOf(cause) === 'ENOTEMPTY' || codeOf(cause) === 'EEXIST'

/** For `catch`: what stands for a file that is not there. Other trouble stays an exception. */
export const ifMissing = otherwise(isMissing)
/** For `catch`: what stands for a rename onto something that is there already. */
export const ifTaken = otherwise(isTaken)

function otherwise(isExpected: (cause: unknown) => boolean) {
  return <Value>(instead: Value) =>
    (cause: unknown): Value => {
      if (isExpected(cause)) return instead
      throw cause
    }
}
