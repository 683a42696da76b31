import { createHash } from 'node:crypto'
import { type Html, html, type Value } from '../../http/html.ts'

/** Without quotes and angle brackets, so that escaping changes nothing. */
const STYLE = `
:root { color-scheme: light dark; --text: #1b2430; --soft: #55606e; --line: #d5dae1; --ground: #fff; --accent: #0b5cad; --on-accent: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ee; --soft: #a3adba; --line: #3a424d; --ground: #14181d; --accent: #7db6f5; --on-accent: #10151b; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--ground); font: 1.0625rem/1.55 system-ui, sans-serif; }
header, main { max-width: 40rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { font-weight: 700; border-bottom: 1px solid var(--line); }
main { padding-top: 2rem; padding-bottom: 3rem; }
h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.25; }
p, dd, li { overflow-wrap: anywhere; }
button, select { font: inherit; }
button { padding: .55rem 1.2rem; border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
a { color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; margin: 1.75rem 0; }
.button { padding: .55rem 1.2rem; border: 0; border-radius: 6px; background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none; }
dl { margin: 2rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9375rem; }
dt { font-weight: 600; }
dd { margin: 0; }
code { font: .9375rem/1.5 ui-monospace, monospace; }
`

const STYLE_ELEMENT = html`<style>
  ${STYLE}
</style>`
/** The digest covers every character between the tags. */
const STYLE_DIGEST = createHash('sha256')
  .update(STYLE_ELEMENT.toString().replaceAll(/^<style>|<\/style>$/g, ''))
  .digest('base64')

/** No script, no other origin, no frame; the one style sheet is allowed by its digest. */
const policy = (formAction: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_DIGEST}'`,
    ...formAction,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy(["form-action 'none'"]),
  vary: 'accept, cookie',
}

/** Browsers apply `form-action` to redirects too, and the answer of the form leads to the identity provider and then to a program. */
export const FORM_PAGE_HEADERS = { ...PAGE_HEADERS, 'content-security-policy': policy([]) }

export interface PageContent {
  readonly title: string
  readonly paragraphs: readonly Value[]
  /** Links, the most useful first. */
  readonly actions: readonly { readonly label: string; readonly href: string }[]
  readonly form?: Html
  /** The address to which the browser goes by itself. */
  readonly next?: string
  readonly requestId: string
}

/** A page of its own for people, without scripts. Links must be our own or have passed `ReturnTo`. */
export function pageText({
  title,
  paragraphs,
  actions,
  form,
  next,
  requestId,
}: PageContent): string {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${next === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${next}" />`}
        <title>${title} · Portico</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>Portico</header>
        <main>
          <h1>${title}</h1>
          ${paragraphs.map((paragraph) => html`<p>${paragraph}</p> `)}
          ${form ?? html`<p class="actions">${actions.map(link)}</p>`}
          <dl>
            <dt>Request id</dt>
            <dd><code>${requestId}</code></dd>
          </dl>
        </main>
      </body>
    </html> `
  return document.toString()
}

const link = ({ label, href }: PageContent['actions'][number], index: number): Html =>
  index === 0
    ? html`<a class="button" href="${href}">${label}</a>`
    : html`<a href="${href}">${label}</a>`
