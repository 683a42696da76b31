import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { Refusal } from './answer.ts'

interface Listening extends AsyncDisposable {
  readonly origin: string
}

export async function listen(answer: RequestListener): Promise<Listening> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const headersOf = (request: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  )

export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'Problems parsing JSON')
  }
}

/** A bug of the fake fails the test, and does not leave the client waiting. */
export function answering(
  deviations: string[],
  request: IncomingMessage,
  answer: () => Promise<void>,
): void {
  answer().catch((error: unknown) => {
    deviations.push(`the fake broke: ${String(error)}`)
    request.socket.destroy()
  })
}
