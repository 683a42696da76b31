/** An answer that is none, by a code for the log. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}
