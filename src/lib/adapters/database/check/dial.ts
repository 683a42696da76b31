import { Buffer } from 'node:buffer'
import { connect } from 'node:net'
import { err, ok, type Result } from '../../../result.ts'

/** `SSLRequest` of the PostgreSQL protocol: a server answers with `S` or `N`, before anybody signs in. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const DIAL_TIMEOUT_MS = 3000

export type DialFailure = 'host_not_found' | 'refused' | 'no_way' | 'silent' | 'not_postgres'

/** Whether a PostgreSQL server is there, and whether it offers TLS. The driver has one error for all of these failures. */
export function dial(
  host: string,
  port: number,
  timeoutMs = DIAL_TIMEOUT_MS,
): Promise<Result<{ readonly offersTls: boolean }, DialFailure>> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof dial>>>()
  const socket = connect({ host, port })
  let isConnected = false
  const timer = setTimeout(() => resolve(err(isConnected ? 'silent' : 'no_way')), timeoutMs)
  socket.once('connect', () => {
    isConnected = true
    socket.write(SSL_REQUEST)
  })
  socket.once('data', (answer: Buffer) => resolve(readAnswer(answer)))
  socket.once('error', (error) => resolve(err(failureOf(error))))
  socket.once('close', () => resolve(err('not_postgres')))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

function readAnswer(answer: Uint8Array): Awaited<ReturnType<typeof dial>> {
  const letter = String.fromCodePoint(answer[0] ?? 0)
  return letter === 'S' || letter === 'N' ? ok({ offersTls: letter === 'S' }) : err('not_postgres')
}

function failureOf(error: Error): DialFailure {
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'host_not_found'
  return code === 'ECONNREFUSED' ? 'refused' : code === 'ECONNRESET' ? 'not_postgres' : 'no_way'
}
