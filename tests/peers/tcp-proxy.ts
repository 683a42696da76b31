import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '#tests/support/listen-on.ts'

export interface TcpProxy extends Disposable {
  readonly port: number
  /** From now on nothing passes on the connections there are, and nobody is told. New ones work. */
  deafen(): void
}

/** A way to a local port that can lose connections as a network does: without a word. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => {
        if (sockets.has(from)) to.write(bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  const port = await listenOn(server, '127.0.0.1')

  return {
    port,
    deafen: () => sockets.clear(),
    [Symbol.dispose]: () => {
      server.close()
    },
  }
}
