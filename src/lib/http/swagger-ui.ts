import css from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }

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
    <title>Portico API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `window.ui = SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
})
`

export const SWAGGER_UI_PAGE = {
  body: PAGE,
  init: {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
  },
}

const assets = new Map<string, { body: () => string | Blob; type: string }>([
  ['swagger-ui.css', { body: () => Bun.file(css), type: 'text/css; charset=utf-8' }],
  [
    'swagger-ui-bundle.js',
    { body: () => Bun.file(bundle), type: 'text/javascript; charset=utf-8' },
  ],
  ['start.js', { body: () => START, type: 'text/javascript; charset=utf-8' }],
])

export function swaggerUiAsset(name: string): Response | undefined {
  const asset = assets.get(name)
  if (asset === undefined) return undefined
  return new Response(asset.body(), {
    headers: { 'content-type': asset.type, 'cache-control': 'public, max-age=3600' },
  })
}
