/** An expected failure of a release, with a message for the operator. Other errors are bugs and are printed with their stack. */
export class ReleaseFailure extends Error {
  override readonly name = 'ReleaseFailure'
}
