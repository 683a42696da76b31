import { contextOf } from '../lib/http/request-context.ts'
import { type Html, html, type Value } from '../lib/http/html.ts'
import { icon, type IconName } from './pages/icon.ts'
import { face } from './pages/parts.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  vary: 'accept, cookie',
}

/** Renders a whole page, without scripts. `main` has one `h1`. */
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
        <a class="skip button" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/dev">${mark} Portico <small>demo</small></a>
          <nav class="top-nav" aria-label="Main">
            ${links.map((link) => navLink(request, link))}
          </nav>
          ${personMenu(request)}
        </header>
        <main id="main">${main}</main>
      </body>
    </html> `
  return new Response(document.toString(), { status, headers: HEADERS })
}

const mark = html`<svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" />
  <path d="M7 12 16 7l9 5M8.5 25h15M11 14v8M16 14v8M21 14v8" />
</svg>`

interface NavLink {
  readonly href: string
  readonly label: string
  readonly sign: IconName
  readonly isAt: RegExp
}

const links: readonly NavLink[] = [
  { href: '/', label: 'Console', sign: 'grid', isAt: /^\/$/ },
  {
    href: '/git',
    label: 'Repositories',
    sign: 'repository',
    isAt: /^\/git(?!\/acme\/gitops\/pulls)(?:\/|$)/,
  },
  {
    href: '/git/acme/gitops/pulls',
    label: 'Pull requests',
    sign: 'branch',
    isAt: /^\/git\/acme\/gitops\/pulls(?:\/|$)/,
  },
  { href: '/docs', label: 'API', sign: 'api', isAt: /^\/docs$/ },
]

function navLink(request: Request, { href, label, sign, isAt }: NavLink): Html {
  const inside = html`${icon(sign)}${label}`
  return isAt.test(contextOf(request).path)
    ? html`<a href="${href}" aria-current="true">${inside}</a>`
    : html`<a href="${href}">${inside}</a>`
}

const SIGN_IN = '/dev/sign-in'

function personMenu(request: Request): Value {
  const { session, path } = contextOf(request)
  // The sign-in page has the choice below, and the link would forget where it leads.
  const isChoosing = path === SIGN_IN
  if (session.kind !== 'active') {
    return isChoosing
      ? null
      : html`<p class="who"><a class="button" href="${signInPath(request)}">Sign in</a></p>`
  }
  const { name } = session.session.principal
  return html`<p class="who">
    ${face(name)}<span class="who-name">${name}</span>
    ${isChoosing ? null : html`<a class="button" href="${signInPath(request)}">${icon('arrows')}Switch person</a>`}
  </p>`
}

/** The sign-in page that leads back to the present page. */
export function signInPath(request: Request): string {
  // An answer to a form has the address of the form's action, which nobody can open.
  const path = contextOf(request).path.replace(/\/(?:merge|close)$/, '')
  const { search } = new URL(request.url)
  return `${SIGN_IN}?${new URLSearchParams({ return_to: `${path}${search}` }).toString()}`
}

export const redirect = (location: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', ...headers },
  })
