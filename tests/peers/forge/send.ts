import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from './answer.ts'
import type { Fault } from './faults.ts'

const GZIP_FROM_BYTES = 1_024
/** Long enough for the bytes before it to be read by the peer. */
const CUT_AFTER_MS = 20

export const isBytes = (body: unknown): body is Uint8Array => body instanceof Uint8Array

export const contentTypeOf = ({ headers = {}, body }: Answer): string | null => {
  if (body === undefined) return null
  return headers['content-type'] ?? 'application/json; charset=utf-8'
}

/** Sends an answer, or what a fault leaves of it. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
): void {
  const { status, headers = {}, body } = answer
  const type = contentTypeOf(answer)
  let bytes = isBytes(body) ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const mayZip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const isZipped =
    fault === undefined && mayZip && !isBytes(body) && bytes.length >= GZIP_FROM_BYTES
  if (isZipped) bytes = gzipSync(bytes, { level: 1 })
  const hasBody = status !== 204 && status !== 304
  const length = bytes.length + (fault?.kind === 'length' ? fault.by : 0)
  response.writeHead(status, {
    ...headers,
    ...(type !== null && { 'content-type': type }),
    ...(isZipped && { 'content-encoding': 'gzip' }),
    ...(hasBody && { 'content-length': String(length) }),
  })
  if (fault?.kind === 'cut' || fault?.kind === 'stall') {
    response.write(bytes.subarray(0, fault.bytes))
    if (fault.kind === 'cut') setTimeout(() => request.socket.destroy(), CUT_AFTER_MS)
    return
  }
  if (fault?.kind === 'length') {
    response.write(bytes.subarray(0, Math.min(length, bytes.length)))
    if (fault.by > 0) setTimeout(() => request.socket.destroy(), CUT_AFTER_MS)
    else response.end()
    return
  }
  response.end(hasBody ? bytes : undefined)
}

/** Sends an answer, unless a fault has another one. */
export function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
): void {
  if (fault?.kind === 'reset') request.socket.destroy()
  else if (fault?.kind === 'answer') send(request, response, foreign(fault), undefined)
  else if (fault?.kind === 'alter')
    send(request, response, { ...answer, body: fault.alter(answer.body) }, undefined)
  else send(request, response, answer, fault)
}

/** Somebody else's answer. */
export function foreign({ status, headers, body }: Extract<Fault, { kind: 'answer' }>): Answer {
  if (typeof body !== 'string' || isBytes(body))
    return { status, body, ...(headers !== undefined && { headers }) }
  const type = { 'content-type': 'text/html; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: Buffer.from(body) }
}
