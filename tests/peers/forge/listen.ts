import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOn } from '#tests/support/listen-on.ts'

/** Answers a request, by itself or never. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface Listening extends AsyncDisposable {
  readonly origin: string
}

/** Listens on a port of its own. A bug of the fake is a deviation, and does not leave the client waiting. */
export async function listen(serve: Serve, deviations: string[]): Promise<Listening> {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      deviations.push(`the fake failed: ${String(error)}`)
      request.socket.destroy()
    })
  })
  const port = await listenOn(server, '127.0.0.1')
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
