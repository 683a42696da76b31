import { type Html, html, type Value } from '../../lib/http/html.ts'
import { contextOf } from '../../lib/http/request-context.ts'
import { PATHS } from '../paths.ts'
import { REPOSITORIES, type Section, SECTIONS } from '../shell/sections.ts'
import { initialsOf } from '../ui/names.ts'
import { current, icon } from './parts.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  vary: 'accept, cookie',
}

interface PageOptions {
  readonly status?: number
  /** Style sheets beside that of all pages. */
  readonly styles?: readonly string[]
  /** Who is signed in, with the way to another; not on a page that asks for it. */
  readonly hasPerson?: boolean
}

/** Renders a whole page in the frame of the console, without scripts. `main` has one `h1`. */
export function page(
  request: Request,
  title: string,
  main: Html,
  { status = 200, styles = [], hasPerson = true }: PageOptions = {},
): Response {
  const menu = html`${navigation(request)}${hasPerson ? personOf(request) : null}`
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Portico</title>
        ${['/git/style.css', ...styles].map((href) => html`<link rel="stylesheet" href="${href}" />`)}
      </head>
      <body>
        <a class="button skip" href="#main">Skip to the page</a>
        <div class="shell">
          <header class="side">
            <a class="brand" href="${PATHS.home}">${mark} Portico</a>
            <button
              type="button"
              class="button quiet icon menu"
              popovertarget="menu"
              aria-label="Menu"
            >
              ${icon('menu')}
            </button>
            <div class="side-parts">${menu}</div>
          </header>
          <main id="main">${main}</main>
        </div>
        <div id="menu" popover="auto" class="side-menu">${menu}</div>
      </body>
    </html> `
  return new Response(document.toString(), { status, headers: HEADERS })
}

export const mark = html`<svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" />
  <path d="M7 12 16 7l9 5M8.5 25h15M11 14v8M16 14v8M21 14v8" />
</svg>`

function navigation(request: Request): Html {
  const { hasConsole, path } = contextOf(request)
  const sections = hasConsole ? SECTIONS : SECTIONS.filter(({ pages }) => pages.length === 0)
  const isHere = ({ href }: Section) => path === href || path.startsWith(`${href}/`)
  return html`<nav aria-label="Sections">
    ${[...sections, REPOSITORIES].map((section) => navLink(section, section === REPOSITORIES && isHere(section)))}
  </nav>`
}

const navLink = ({ href, label, icon: sign }: Section, isCurrent: boolean): Html =>
  html`<a href="${href}" ${current(isCurrent)}>${icon(sign)}${label}</a>`

function personOf(request: Request): Value {
  const { session, hasConsole } = contextOf(request)
  if (session.kind !== 'active') {
    return html`<div class="who">
      <a class="option" href="${signInPath(request)}">${icon('user')}Sign in</a>
    </div>`
  }
  const { name } = session.session.principal
  return html`<div class="who">
    <p class="who-person">
      <span class="who-face" aria-hidden="true">${initialsOf(name)}</span>
      <span class="who-name"><bdi>${name}</bdi></span>
    </p>
    ${hasConsole ? html`<a class="option" href="${PATHS.sessions}">${icon('user')}Your account</a>` : null}
    <a class="option" href="${signInPath(request)}">${icon('arrows')}Switch person</a>
  </div>`
}

/** The sign-in that leads back to the present page. */
export function signInPath(request: Request): string {
  // An answer to a form has the address of the form's action, which nobody can open.
  const path = contextOf(request).path.replace(/\/(?:merge|close|approve|[^/]+\/end)$/, '')
  const { search } = new URL(request.url)
  return `/api/v1/auth/login?${new URLSearchParams({ return_to: `${path}${search}` }).toString()}`
}

export const redirect = (location: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', ...headers },
  })
