import type { RepositoryPath } from '../../lib/names.ts'
import { textIn } from './file.ts'

export const RAW_BYTES_MAX = 10 * 1024 * 1024

/**
 * Somebody else's bytes from our own origin: text that a browser shows as text, or a download, and never a page. Paths have no character that
 * ends a quoted file name.
 */
export function rawAnswer(path: RepositoryPath, bytes: Uint8Array): Response {
  const isText = textIn(bytes) !== undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  return new Response(new Blob([bytes]), {
    headers: {
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'content-disposition': `${isText ? 'inline' : 'attachment'}; filename="${name}"`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'no-store',
      vary: 'cookie',
    },
  })
}
