import { createSingleFlight } from '#src/lib/concurrency/single-flight.ts'
import { isNotModified, preferredCoding } from '../negotiation.ts'
import type { ConsoleFile, ConsoleFiles } from './files.ts'

/**
 * Content security policy of the console: no other origin, no inline script or style, and no text that becomes markup
 * (https://www.w3.org/TR/trusted-types/).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const PAGE_HEADERS = { 'cache-control': 'no-cache', 'content-security-policy': POLICY }
/** An asset with other contents has another name. */
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

interface ReadConsole {
  readonly document: ConsoleFile
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

/** Reads the files once, at the first request. After a failure the next request tries again. */
export function createConsoleAnswers(read: () => Promise<ConsoleFiles>) {
  const reading = createSingleFlight<ReadConsole>()
  let kept: ReadConsole | undefined
  const files = async (): Promise<ReadConsole> => {
    kept ??= await reading.join('console', async () => {
      const { document, assets } = await read()
      return { document, assets: new Map(assets.map((asset) => [asset.name, asset])) }
    })
    return kept
  }
  return {
    async page(request: Request): Promise<Response> {
      return unlessKept(request, fileAnswer(request, (await files()).document, PAGE_HEADERS))
    },
    /** The document says by itself that the page does not exist. */
    async missingPage(request: Request): Promise<Response> {
      const { body, headers } = fileAnswer(request, (await files()).document, PAGE_HEADERS)
      headers.delete('etag')
      return new Response(body, { status: 404, headers })
    },
    async asset(request: Request, name: string): Promise<Response | undefined> {
      const asset = (await files()).assets.get(name)
      return asset && unlessKept(request, fileAnswer(request, asset, ASSET_HEADERS))
    },
  }
}

function fileAnswer(
  request: Request,
  file: ConsoleFile,
  given: Readonly<Record<string, string>>,
): Response {
  const coding = preferredCoding(request, ['br', 'gzip'])
  const bytes = { br: file.brotli, gzip: file.gzip, identity: file.raw }[coding]
  return new Response(bytes, {
    headers: {
      ...given,
      'content-type': file.type,
      etag: tagOf(bytes),
      vary: 'accept-encoding',
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    },
  })
}

function unlessKept(request: Request, answer: Response): Response {
  const { headers } = answer
  return isNotModified(request, headers.get('etag') ?? '')
    ? new Response(null, { status: 304, headers })
    : answer
}

const tags = new WeakMap<Uint8Array, string>()

/** Each coding has its own tag (RFC 9110 §8.8.3.3). */
function tagOf(bytes: Uint8Array): string {
  const known = tags.get(bytes)
  if (known !== undefined) return known
  const tag = `"${new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, TAG_DIGITS)}"`
  tags.set(bytes, tag)
  return tag
}

const TAG_DIGITS = 32
