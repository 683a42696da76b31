import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { listenOn } from '#tests/support/listen-on.ts'

export interface RawRequest {
  readonly method: string
  /** As sent. */
  readonly target: string
  readonly headers: Headers
  readonly body: string
}

/** Writes the answer and decides when the connection ends. `index`: how many requests came before. */
export type RawReply = (socket: Socket, request: RawRequest, index: number) => void

/** A host on a socket that writes the bytes of its answers itself, so that they can be wrong in every way. */
export async function startRawHost(
  reply: RawReply,
  certificate?: { readonly cert: string; readonly key: string },
) {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    let buffered = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (part: Buffer) => {
      buffered = Buffer.concat([buffered, part])
      for (let request = next(); request !== null; request = next()) {
        requests.push(request)
        reply(socket, request, requests.length - 1)
      }
    })
    function next(): RawRequest | null {
      const end = buffered.indexOf('\r\n\r\n')
      if (end === -1) return null
      const [first = '', ...lines] = buffered.subarray(0, end).toString('latin1').split('\r\n')
      const [method = '', target = ''] = first.split(' ')
      const headers = new Headers(
        lines.map((line): [string, string] => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon), line.slice(colon + 1).trim()]
        }),
      )
      const length = Number(headers.get('content-length') ?? 0)
      if (buffered.byteLength < end + 4 + length) return null
      const body = buffered.subarray(end + 4, end + 4 + length).toString('utf8')
      buffered = buffered.subarray(end + 4 + length)
      return { method, target, headers, body }
    }
  }
  const server: Server =
    certificate === undefined ? createServer(accept) : createTlsServer(certificate, accept)
  const port = await listenOn(server, '127.0.0.1')
  return {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export interface AnswerParts {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array
}

/** The bytes of a whole answer. */
export function rawAnswer({ status = 200, headers = {}, json, body }: AnswerParts = {}): Buffer {
  const content = Buffer.from(body ?? (json === undefined ? '' : JSON.stringify(json)))
  const lines = {
    'content-type': 'application/json; charset=utf-8',
    ...(status !== 204 && status !== 304 && { 'content-length': String(content.byteLength) }),
    ...headers,
  }
  const head = [
    `HTTP/1.1 ${status} x`,
    ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content])
}

/** Replies with whole answers, the last one for ever. */
export const answers =
  (...parts: readonly AnswerParts[]): RawReply =>
  (socket, _, index) =>
    void socket.write(rawAnswer(parts[Math.min(index, parts.length - 1)]))
