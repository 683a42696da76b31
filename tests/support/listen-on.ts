import type { Server } from 'node:net'

/** The port at which the server listens from now on; 0 asks for any. */
export async function listenOn(server: Server, host?: string, port = 0): Promise<number> {
  await new Promise<void>((listening) => server.listen(port, host, listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
