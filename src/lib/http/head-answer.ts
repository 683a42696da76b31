/**
 * The answer to HEAD for something long. Elysia calls the handler of GET, reads what it answers to the end and counts it; what
 * it reads here is one chunk that has a length and nothing else. `tests/routes/cli.test.ts` holds it to that.
 */
export function headAnswer(headers: Readonly<Record<string, string>>, length: number): Response {
  const counted = new ReadableStream<{ readonly byteLength: number }>({
    start(controller) {
      controller.enqueue({ byteLength: length })
      controller.close()
    },
  })
  return new Response(asBody(counted), { headers })
}

/** Never sent: what is sent in answer to HEAD has no body. */
const asBody = (stream: ReadableStream<{ readonly byteLength: number }>): ReadableStream => stream
