import { ok, type Result } from '../../../result.ts'
import { parseJson } from '../../../text/json.ts'
import { decodeUtf8 } from '../../../text/utf8.ts'
import type { Answer } from './client.ts'
import { broken, type ExchangeFault, type RawAnswer } from './exchange.ts'

/**
 * An answer with its JSON. Half a JSON is a cut-off body: bodies without a length end with their connection. A page is the answer of a
 * proxy, whatever its status; a refusal in plain text is one of the host.
 */
export function jsonAnswer({ status, headers, bytes }: RawAnswer): Result<Answer, ExchangeFault> {
  if (bytes.byteLength === 0) return ok({ status, headers, json: undefined })
  if (/\bhtml\b/i.test(headers.get('content-type') ?? '')) {
    return broken(`answered with ${status} and a page`)
  }
  const json = parseJson(decodeUtf8(bytes) ?? '')
  const isSuccess = status >= 200 && status < 300
  if (json === undefined && isSuccess) return broken('an answer that is no whole JSON', true)
  return ok({ status, headers, json })
}
