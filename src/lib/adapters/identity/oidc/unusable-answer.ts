/** A response of the provider that cannot be used; the code is for the log. */
export class UnusableAnswer extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}
