import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { accessTo, authority, clusterAt } from '#tests/support/api-server.ts'
import { listenOn } from '#tests/support/listen-on.ts'

export type Handler = (socket: Socket) => void

/** A peer that sends exactly the bytes of the test. */
export async function listen(kind: 'tcp' | 'tls', handler: Handler) {
  const sockets = new Set<Socket>()
  const keep: Handler = (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    handler(socket)
  }
  const server =
    kind === 'tcp'
      ? createTcpServer(keep)
      : createTlsServer(await (await authority()).issue(), keep)
  const port = await listenOn(server, '127.0.0.1')
  return {
    access: accessTo(await clusterAt(`https://127.0.0.1:${port}`)),
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export const answering =
  (text: string, end: 'end' | 'destroy' | 'stay'): Handler =>
  (socket) =>
    socket.on('data', () => {
      socket.write(text)
      if (end !== 'stay') setTimeout(() => socket[end](), 10)
    })
