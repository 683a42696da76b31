import type { ClusterFailure } from '../../../ports/clusters.ts'
import { err, ok, type Result } from '../../../result.ts'

export const isJson = ({ headers }: Response): boolean =>
  /^application\/json\b/i.test(headers.get('content-type') ?? '')

const broken = (reason: string) => err({ kind: 'cluster_error', reason } as const)
export const NO_JSON = broken('the answer is no JSON')
export const BROKEN_JSON = broken('the answer is broken JSON')
export const UNREADABLE = broken('the answer is not what was asked for')
export const tooLong = (maxBytes: number) => broken(`more than ${maxBytes} bytes`)

/** A body as JSON, unless it is too long or none. Throws what the connection throws, a cut-off body included. */
export async function readJson(
  response: Response,
  maxBytes: number,
): Promise<Result<unknown, ClusterFailure>> {
  if (!isJson(response)) {
    await response.body?.cancel()
    return NO_JSON
  }
  const bytes = await readBytes(response, maxBytes)
  if (bytes === null) return tooLong(maxBytes)
  const value = parseJson(bytes.toString('utf8'))
  return value === undefined ? BROKEN_JSON : ok(value)
}

/** `undefined`: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readBytes(response: Response, maxBytes: number): Promise<Buffer | null> {
  const body: ReadableStream<Uint8Array> | null = response.body
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    // Leaving the loop cancels the body.
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
