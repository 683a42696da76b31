import { contextOf } from '../lib/http/request-context.ts'
import { type Html, html, type Value } from '../lib/http/html.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  vary: 'accept, cookie',
}

/** Renders a whole page, without scripts. */
export function page(request: Request, title: string, main: Html, status = 200): Response {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Portico demo</title>
        <link rel="stylesheet" href="/dev/style.css" />
      </head>
      <body>
        <header>
          <a class="brand" href="/dev">Portico <small>demo</small></a>
          <nav aria-label="Main">
            <a href="/git/acme/gitops">GitOps repository</a>
            <a href="/git/acme/gitops/pulls">Pull requests</a>
            <a href="/docs">API docs</a>
          </nav>
          ${personMenu(request)}
        </header>
        <main>${main}</main>
      </body>
    </html> `
  return new Response(document.toString(), { status, headers: HEADERS })
}

function personMenu(request: Request): Value {
  const { session } = contextOf(request)
  if (session.kind !== 'active') return html`<p class="who"><a href="/dev/sign-in">Sign in</a></p>`
  const { name } = session.session.principal
  return html`<p class="who">${name} · <a href="${signInPath(request)}">Switch person</a></p>`
}

/** The sign-in page that leads back to the present page. */
export function signInPath(request: Request): string {
  const { path } = contextOf(request)
  if (path === '/dev/sign-in') return '/dev/sign-in'
  return `/dev/sign-in?${new URLSearchParams({ return_to: path }).toString()}`
}

export const redirect = (location: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', ...headers },
  })

export const dateOf = (milliseconds: number): Html => {
  const iso = new Date(milliseconds).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)}</time>`
}
