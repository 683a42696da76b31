/** A release that cannot be made, with a sentence for who makes it. Anything else that is thrown is a bug, with its stack. */
export class ReleaseFailure extends Error {
  override readonly name = 'ReleaseFailure'
}
