import { stepAside } from '../concurrency/on-behalf-of.ts'
import { parseJson } from '../text/json.ts'
import { err, ok, type Result } from '../result.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { HttpFailure } from './failure.ts'

const JSON_BODY_MAX_BYTES = 1024 * 1024
/** Time for a whole body, however slowly it comes. */
const BODY_DEADLINE_MS = 60_000

export type BodyFailure = Extract<
  HttpFailure,
  {
    kind:
      | 'unsupported_media_type'
      | 'content_encoded'
      | 'payload_too_large'
      | 'malformed_json'
      | 'body_incomplete'
  }
>

/**
 * Reads a body up to a limit. Routes read their bodies themselves, after the session check: Elysia's parsers accept forms and
 * `text/plain` for JSON, which cross-site requests can send (CVE-2024-22424).
 */
export async function readTypedBody(
  request: Request,
  { limitBytes, accepted }: { readonly limitBytes: number; readonly accepted: readonly string[] },
): Promise<Result<Uint8Array, BodyFailure>> {
  const contentType = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!accepted.includes(contentType)) return err({ kind: 'unsupported_media_type', accepted })
  if (isEncoded(request)) return err({ kind: 'content_encoded' })
  const parts: Uint8Array[] = []
  const drained = await drain(request, limitBytes, (part) => parts.push(part))
  return drained.ok ? ok(Buffer.concat(parts)) : drained
}

export async function readJson(
  request: Request,
  limitBytes = JSON_BODY_MAX_BYTES,
): Promise<Result<unknown, BodyFailure>> {
  const bytes = await readTypedBody(request, { limitBytes, accepted: ['application/json'] })
  if (!bytes.ok) return bytes
  const text = decodeUtf8(bytes.value)
  const value = text === undefined ? undefined : parseJson(text)
  return value === undefined ? err({ kind: 'malformed_json' }) : ok(value)
}

/** Reads an optional body; `undefined` without one. */
export async function readOptionalJson(request: Request): Promise<Result<unknown, BodyFailure>> {
  const hasBody = request.body !== null && request.headers.get('content-length') !== '0'
  return hasBody ? readJson(request) : ok(undefined)
}

/** For routes that take no body: accepts none, or JSON, which is ignored. */
export async function refuseForeignBody(request: Request): Promise<Result<void, BodyFailure>> {
  const json = await readOptionalJson(request)
  return json.ok ? ok(undefined) : json
}

/** Passes a body on part by part, without keeping it. Who waits for a client keeps no request of others waiting. */
export async function drain(
  request: Request,
  limitBytes: number,
  onPart: (part: Uint8Array) => void,
): Promise<Result<void, Extract<BodyFailure, { kind: 'payload_too_large' | 'body_incomplete' }>>> {
  const tooLarge = err({ kind: 'payload_too_large', limitBytes })
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) return tooLarge
  const stream: ReadableStream<Uint8Array> | null = request.body
  if (stream === null) return ok(undefined)
  stepAside()
  const reader = stream.getReader()
  const late = { is: false }
  const timer = setTimeout(() => {
    late.is = true
    void reader.cancel()
  }, BODY_DEADLINE_MS)
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return late.is ? err({ kind: 'body_incomplete' }) : ok(undefined)
      length += value.length
      if (length > limitBytes) return tooLarge
      onPart(value)
    }
  } catch (error) {
    if (isAborted(error)) return err({ kind: 'body_incomplete' })
    throw error
  } finally {
    clearTimeout(timer)
    if (length > limitBytes) void reader.cancel()
  }
}

/** Compressed bodies are refused, since a few bytes of them can unpack to any size. */
function isEncoded({ headers }: Request): boolean {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return encoding !== '' && encoding !== 'identity'
}

const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
