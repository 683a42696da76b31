/** Handlers return complete responses and do not use Elysia's `set`, which would copy every response. */
type Headers = Readonly<Record<string, string>>

export const json = (
  value: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {},
): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

export const noContent = (): Response => new Response(null, { status: 204 })

/**
 * Answers HEAD with a `content-length` without producing the body. For HEAD Elysia calls the handler of GET and adds up the
 * `byteLength` of its chunks, so that one chunk with nothing but a length is enough. `tests/routes/cli.test.ts` depends on it.
 */
export function headAnswer(headers: Readonly<Record<string, string>>, length: number): Response {
  const lengthOnly = new ReadableStream<{ readonly byteLength: number }>({
    start(controller) {
      controller.enqueue({ byteLength: length })
      controller.close()
    },
  })
  return new Response(asBody(lengthOnly), { headers })
}

/** The chunk is never sent: an answer to HEAD has no body. */
const asBody = (stream: ReadableStream<{ readonly byteLength: number }>): ReadableStream => stream
