import type { DocFile } from '../../domain/catalog/entity-docs.ts'
import type { CatalogEntity } from '../../domain/catalog/snapshot.ts'
import { isNotModified, preferredFormat } from '../../http/negotiation.ts'
import { createDigest, TAG_LENGTH } from '../../http/tagged-json.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { markdownTree } from '../markdown-tree.ts'

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
}

/** Somebody else's bytes from our own origin: never a page, and nothing in it runs. */
const HARMLESS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
}

/** A page as it is in git, or as a tree for who prefers JSON; a picture. */
export function docAnswer(
  request: Request,
  { path, bytes, url }: DocFile & { readonly url: string },
): Response {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const own = { 'x-catalog-file-url': url, vary: 'accept' }
  if (extension === 'md' && preferredFormat(request) === 'json') {
    const tree = JSON.stringify(markdownTree(new TextDecoder().decode(bytes)))
    const body = new TextEncoder().encode(tree)
    return tagged(request, body, { ...own, 'content-type': 'application/json' })
  }
  return tagged(request, bytes, {
    ...own,
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    // An image element shows it all the same.
    ...(extension === 'svg' && { 'content-disposition': 'attachment' }),
  })
}

/** `null` for an entity without a definition as text. */
export function definitionAnswer(request: Request, { json }: CatalogEntity): Response | null {
  const entity = parseJson(json)
  const spec = isObject(entity) && isObject(entity['spec']) ? entity['spec'] : {}
  const { definition, type } = spec
  if (typeof definition !== 'string') return null
  return tagged(request, new TextEncoder().encode(definition), {
    'content-type': `${typeOf(String(type), definition)}; charset=utf-8`,
  })
}

function typeOf(type: string, definition: string): string {
  switch (type.toLowerCase()) {
    case 'openapi':
    case 'asyncapi':
      return parseJson(definition) === undefined ? 'application/yaml' : 'application/json'
    case 'graphql':
      return 'application/graphql'
    default:
      return 'text/plain'
  }
}

function tagged(
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  own: Readonly<Record<string, string>>,
): Response {
  const etag = `"${createDigest().update(bytes).digest('hex').slice(0, TAG_LENGTH)}"`
  const headers = { ...HARMLESS, ...own, 'cache-control': 'private, no-cache', etag }
  return isNotModified(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(bytes, { headers })
}
