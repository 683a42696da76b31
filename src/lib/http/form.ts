import { type BodyFailure, readTypedBody } from './body.ts'
import { ok, type Result } from '../result.ts'

const FORM_MAX_BYTES = 8 * 1024

/** The fields of an HTML form. An empty body has no fields. */
export async function readForm(
  request: Request,
  limitBytes = FORM_MAX_BYTES,
): Promise<Result<URLSearchParams, BodyFailure>> {
  if (request.body === null || request.headers.get('content-length') === '0') {
    return ok(new URLSearchParams())
  }
  const accepted = ['application/x-www-form-urlencoded']
  const bytes = await readTypedBody(request, { limitBytes, accepted })
  return bytes.ok ? ok(new URLSearchParams(new TextDecoder().decode(bytes.value))) : bytes
}
