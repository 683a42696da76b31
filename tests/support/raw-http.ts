import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Sends raw bytes, because client libraries correct or refuse malformed requests. */
export function sendRaw(port: number, request: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', (part: Buffer) => parts.push(part))
    socket.on('error', reject)
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(parts).toString('latin1'))))
  })
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: rest.join('\r\n\r\n'),
  }
}

/** A request that asks to close the connection, with its target exactly as given. */
export const rawRequest = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
): string =>
  [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries({ connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '',
    '',
  ].join('\r\n')
