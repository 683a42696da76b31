import tokens from '../../../console/styles/tokens.css' with { type: 'text' }
import css from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from './page.css.txt' with { type: 'text' }
import script from './page.js.txt' with { type: 'text' }
import referenceScript from './reference.js.txt' with { type: 'text' }

/**
 * Content security policy of the embedded Swagger UI: no other origin and no inline script. Its style sheet needs inline
 * styles and `data:` images.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API · Portico</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/tokens.css" />
    <link rel="stylesheet" href="/docs/page.css" />
    <script src="/docs/page.js"></script>
  </head>
  <body>
    <header class="docs-head">
      <a href="/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M7 12 16 7l9 5M8.5 25h15M11 14v8M16 14v8M21 14v8" />
        </svg>
        Portico
      </a>
      <p id="person" role="status"></p>
    </header>
    <main id="swagger-ui"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
  </body>
</html>
`

export const DOCS_PAGE = {
  body: PAGE,
  init: {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
  },
}

/**
 * The same for a definition of the catalog, which anybody may have written: a frame of the console with an origin of its own. It has no
 * session, sends nothing, and gets the definition by a message.
 */
const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox',
].join('; ')

const REFERENCE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Definition</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/tokens.css" />
    <link rel="stylesheet" href="/docs/page.css" />
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/reference.js"></script>
  </head>
  <body class="reference">
    <main id="swagger-ui"></main>
  </body>
</html>
`

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const LONG = 'public, max-age=3600'
/** Our own files change with every version. */
const SHORT = 'no-cache'

const assets = new Map<string, { body: () => string | Blob; type: string; cache: string }>([
  ['swagger-ui.css', { body: () => Bun.file(css), type: CSS, cache: LONG }],
  ['swagger-ui-bundle.js', { body: () => Bun.file(bundle), type: JAVASCRIPT, cache: LONG }],
  ['tokens.css', { body: () => tokens, type: CSS, cache: SHORT }],
  ['page.css', { body: () => style, type: CSS, cache: SHORT }],
  ['page.js', { body: () => script, type: JAVASCRIPT, cache: SHORT }],
  ['reference.html', { body: () => REFERENCE, type: HTML, cache: SHORT }],
  ['reference.js', { body: () => referenceScript, type: JAVASCRIPT, cache: SHORT }],
])

/** Files of the frame: its origin is of no site. */
const FRAMED: ReadonlySet<string> = new Set([
  'reference.js',
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'tokens.css',
  'page.css',
])

export function docsAsset(name: string): Response | undefined {
  const asset = assets.get(name)
  if (asset === undefined) return undefined
  return new Response(asset.body(), {
    headers: {
      'content-type': asset.type,
      'cache-control': asset.cache,
      ...(FRAMED.has(name) && { 'cross-origin-resource-policy': 'cross-origin' }),
      ...(asset.type === HTML && { 'content-security-policy': REFERENCE_POLICY }),
    },
  })
}
