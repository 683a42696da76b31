import { parseJson } from '../../../text/json.ts'
import type { ClusterFailure } from '../../../ports/clusters.ts'
import { readBody } from '../../../outbound/read-body.ts'
import { err, ok, type Result } from '../../../result.ts'

export const isJson = ({ headers }: Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

const unusable = (reason: string) => err({ kind: 'cluster_error', reason } as const)
export const NO_JSON = unusable('the answer is no JSON')
export const BROKEN_JSON = unusable('the answer is broken JSON')
export const UNREADABLE = unusable('the answer has an unexpected shape')
export const tooLong = (maxBytes: number) => unusable(`more than ${maxBytes} bytes`)

/** Reads a body as JSON. Throws what the connection throws, also when it breaks before the end of the body. */
export async function readJson(
  response: Response,
  maxBytes: number,
): Promise<Result<unknown, ClusterFailure>> {
  if (!isJson(response)) {
    await response.body?.cancel()
    return NO_JSON
  }
  const bytes = await readBody(response.body, maxBytes)
  if (bytes === null) return tooLong(maxBytes)
  const value = parseJson(bytes.toString('utf8'))
  return value === undefined ? BROKEN_JSON : ok(value)
}
