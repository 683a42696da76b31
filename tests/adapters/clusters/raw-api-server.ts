import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { accessTo, authority, clusterAt } from '#tests/support/api-server.ts'

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    access: accessTo(await clusterAt(`https://127.0.0.1:${address.port}`)),
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
