import { parseJson } from '../text/json.ts'
import { err, ok, type Result } from '../result.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { HttpFailure } from './problem.ts'

const JSON_BODY_MAX_BYTES = 1024 * 1024

type BodyFailure = Extract<
  HttpFailure,
  { kind: 'unsupported_media_type' | 'payload_too_large' | 'malformed_json' }
>

type TooLarge = Extract<BodyFailure, { kind: 'payload_too_large' }>

/**
 * Bodies are read by the route that wants them, after the session was checked, and never by Elysia's parsers: those take
 * forms and `text/plain` for JSON, which is what cross-site requests are made of (CVE-2024-22424).
 */
export async function readBytes(
  request: Request,
  { limitBytes, accepted }: { readonly limitBytes: number; readonly accepted: readonly string[] },
): Promise<Result<Uint8Array, BodyFailure>> {
  const contentType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!accepted.includes(contentType)) return err({ kind: 'unsupported_media_type', accepted })
  return readLimited(request, limitBytes)
}

export async function readJson(
  request: Request,
  limitBytes = JSON_BODY_MAX_BYTES,
): Promise<Result<unknown, BodyFailure>> {
  const bytes = await readBytes(request, { limitBytes, accepted: ['application/json'] })
  if (!bytes.ok) return bytes
  const text = decodeUtf8(bytes.value)
  const value = text === undefined ? undefined : parseJson(text)
  return value === undefined ? err({ kind: 'malformed_json' }) : ok(value)
}

/** For routes whose body may be left out: `undefined` then. */
export async function readOptionalJson(request: Request): Promise<Result<unknown, BodyFailure>> {
  const hasBody = request.body !== null && request.headers.get('content-length') !== '0'
  return hasBody ? readJson(request) : ok(undefined)
}

/** For routes without a body of their own: an empty one, or JSON, which is then ignored. */
export async function refuseForeignBody(request: Request): Promise<Result<void, BodyFailure>> {
  const json = await readOptionalJson(request)
  return json.ok ? ok(undefined) : json
}

async function readLimited(
  request: Request,
  limitBytes: number,
): Promise<Result<Uint8Array, TooLarge>> {
  const parts: Uint8Array[] = []
  const drained = await drain(request, limitBytes, (part) => parts.push(part))
  return drained.ok ? ok(Buffer.concat(parts)) : drained
}

/** Reads a body part by part, without keeping it. */
export async function drain(
  request: Request,
  limitBytes: number,
  onPart: (part: Uint8Array) => void,
): Promise<Result<void, TooLarge>> {
  const tooLarge = err({ kind: 'payload_too_large', limitBytes })
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) return tooLarge
  const stream: ReadableStream<Uint8Array> | null = request.body
  let length = 0
  for await (const part of stream ?? []) {
    length += part.length
    if (length > limitBytes) return tooLarge
    onPart(part)
  }
  return ok(undefined)
}
