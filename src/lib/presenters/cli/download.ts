import type { Download } from '../../domain/cli/cli.ts'
import type { Sha256 } from '../../names.ts'
import type { CachedAsset } from '../../ports/asset-cache.ts'
import { rangeOf } from '../../http/byte-range.ts'
import { headAnswer } from '../../http/respond.ts'
import { isNotModified } from '../../http/negotiation.ts'
import { problem } from '../../http/problem.ts'

/** Documentation of the response headers. */
export const downloadHeaders = {
  ETag: 'SHA-256 of the file, in hex',
  'Accept-Ranges': '`bytes`: one range at a time',
  'Repr-Digest': 'SHA-256 of the whole file (RFC 9530), also with a range',
  'Content-Disposition': 'The name of the file in the release',
  'X-CLI-Version': 'The version of the release',
}

/**
 * Answers with the file or a range of it. Conditions and HEAD need only the digest and do not wait for the file. Nothing is
 * sent before the file is complete and verified, so that a failure can still be a status.
 */
export async function answerDownload(request: Request, download: Download): Promise<Response> {
  if (download.sha256 !== null) {
    const known = answerByDigest(request, download, download.sha256, download.sizeBytes)
    if (known !== undefined) return known
  }
  const opened = await download.open()
  if (!opened.ok) return problem(request, opened.error)
  const { sha256, sizeBytes } = opened.value
  const answered = answerByDigest(request, download, sha256, sizeBytes)
  return answered ?? answerWithContent(request, download, opened.value)
}

/** In the order of RFC 9110 §13.2.2. */
function answerByDigest(
  request: Request,
  download: Download,
  sha256: Sha256,
  sizeBytes: number,
): Response | undefined {
  const headers = headersOf(download, sha256)
  const { etag } = headers
  if (!isMatch(request, etag)) return problem(request, { kind: 'precondition_failed', etag })
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  return request.method === 'HEAD' ? headAnswer(headers, sizeBytes) : undefined
}

/** Whether `If-Match` is absent or names the entity tag (RFC 9110 §13.1.1). Strong comparison: a weak tag never matches. */
function isMatch({ headers }: Request, etag: string): boolean {
  const condition = headers.get('if-match')?.trim()
  if (condition === undefined || condition === '*') return true
  return condition.split(',').some((candidate) => candidate.trim() === etag)
}

function answerWithContent(
  request: Request,
  download: Download,
  { sha256, sizeBytes, content }: CachedAsset,
): Response {
  const headers = headersOf(download, sha256)
  const range = rangeOf(request, sizeBytes, headers.etag)
  switch (range.kind) {
    case 'unsatisfiable':
      return problem(request, { kind: 'range_not_satisfiable', sizeBytes })
    case 'whole':
      return new Response(content, {
        headers: {
          ...headers,
          'content-length': String(sizeBytes),
          // Meaningless in a 200 (RFC 9110 §14.4); keeps Bun from answering the range itself.
          ...(request.headers.has('range') && {
            'content-range': `bytes 0-${Math.max(0, sizeBytes - 1)}/${sizeBytes}`,
          }),
        },
      })
    case 'part': {
      const { start, end } = range
      return new Response(content.slice(start, end), {
        status: 206,
        headers: {
          ...headers,
          'content-length': String(end - start),
          'content-range': `bytes ${start}-${end - 1}/${sizeBytes}`,
        },
      })
    }
  }
}

const headersOf = ({ version, filename }: Download, sha256: Sha256) => ({
  'content-type': 'application/octet-stream',
  'content-disposition': contentDisposition(filename),
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  etag: `"${sha256}"`,
  'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  'x-cli-version': version,
})

/** RFC 6266: an ASCII name, and the full one in `filename*`. Without path separators, which a client might obey. */
function contentDisposition(filename: string): string {
  const name = filename.replaceAll(/[/\\]/g, '_')
  const ascii = name.replaceAll(/[^\x20-\x7e]|["%]/g, '_')
  if (ascii === name) return `attachment; filename="${name}"`
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
