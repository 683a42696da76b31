/** An answer before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, bytes as they are, or nothing. */
  readonly body?: unknown
}
