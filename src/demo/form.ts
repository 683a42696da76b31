import { readBytes } from '../lib/http/body.ts'
import { parseJson } from '../lib/text/json.ts'
import type { HttpFailure } from '../lib/http/problem.ts'
import { err, ok, type Result } from '../lib/result.ts'

const FORM_MAX_BYTES = 8 * 1024
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

type FormFailure = Extract<
  HttpFailure,
  { kind: 'unsupported_media_type' | 'payload_too_large' | 'malformed_json' }
>

/** The fields of an HTML form, or the string members of a JSON object. An empty body has no fields. */
export async function readForm(request: Request): Promise<Result<URLSearchParams, FormFailure>> {
  if (request.body === null || request.headers.get('content-length') === '0') {
    return ok(new URLSearchParams())
  }
  const accepted = [FORM, JSON_TYPE]
  const bytes = await readBytes(request, { limitBytes: FORM_MAX_BYTES, accepted })
  if (!bytes.ok) return bytes
  const text = new TextDecoder().decode(bytes.value)
  const isJson = request.headers.get('content-type')?.toLowerCase().startsWith(JSON_TYPE) === true
  return isJson ? fieldsOfJson(text) : ok(new URLSearchParams(text))
}

function fieldsOfJson(text: string): Result<URLSearchParams, FormFailure> {
  const value = parseJson(text)
  if (value === undefined) return err({ kind: 'malformed_json' })
  const fields = new URLSearchParams()
  for (const [name, field] of Object.entries(value ?? {})) {
    if (typeof field === 'string') fields.set(name, field)
  }
  return ok(fields)
}
