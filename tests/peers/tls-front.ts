import { connect } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { listenOn } from '#tests/support/listen-on.ts'

export interface TlsFront extends Disposable {
  readonly port: number
  /** Where decrypted bytes go from now on: a port of this machine. */
  leadTo(port: number): void
}

/** What stands before the service in production and ends TLS. Passes bytes on as they are. */
export async function startTlsFront(certificate: {
  readonly cert: string
  readonly key: string
}): Promise<TlsFront> {
  const sockets = new Set<TLSSocket>()
  let target = 0
  const server = createServer(certificate, (near) => {
    sockets.add(near)
    const far = connect(target, '127.0.0.1')
    near.pipe(far)
    far.pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.on('close', () => sockets.delete(near))
  })
  const ownPort = await listenOn(server)
  return {
    port: ownPort,
    leadTo(port) {
      target = port
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
