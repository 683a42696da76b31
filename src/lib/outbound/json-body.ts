import { ok, type Result } from '../result.ts'
import { parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { broken, type BrokenAnswer, type RawAnswer } from './exchange.ts'

/**
 * The JSON of an answer; `undefined` without a body, and for a refusal in plain text, which is one of the server. Half a JSON is a
 * cut-off body: bodies without a length end with their connection. A page is the answer of a proxy, whatever its status.
 */
export function jsonBody({ status, headers, bytes }: RawAnswer): Result<unknown, BrokenAnswer> {
  if (bytes.byteLength === 0) return ok(undefined)
  if (/\bhtml\b/i.test(headers.get('content-type') ?? '')) {
    return broken(`answered with ${status} and a page`)
  }
  const json = parseJson(decodeUtf8(bytes) ?? '')
  const isSuccess = status >= 200 && status < 300
  if (json === undefined && isSuccess) return broken('an answer that is no whole JSON', true)
  return ok(json)
}
