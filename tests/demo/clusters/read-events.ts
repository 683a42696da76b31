import { readLines } from '#tests/support/read-lines.ts'

export interface WatchEvent {
  readonly type: string
  readonly object: {
    readonly kind: string
    readonly metadata: {
      readonly name: string
      readonly resourceVersion: string
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
    }
    readonly columnDefinitions?: unknown
    readonly rows?: readonly { readonly cells: readonly unknown[] }[]
    readonly code?: number
    readonly reason?: string
    readonly message?: string
  }
}

/** Reads the answer to a watch as it comes. */
export function readEvents(answer: Response) {
  const { next, ...rest } = readLines(bodyOf(answer))
  return {
    ...rest,
    events: async () => (await next()).map((line) => JSON.parse(line) as WatchEvent),
  }
}

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (body === null) throw new Error('an answer without a body')
  return body
}
