import type { Authorization } from '../../domain/access/grants/authorization.ts'
import { SCOPES } from '../../domain/access/grants/scope.ts'
import type { Session } from '../../domain/access/sessions/session.ts'
import { html, type Value } from '../../http/html.ts'
import { contextOf } from '../../http/request-context.ts'
import { FORM_PAGE_HEADERS, pageText } from '../sign-in/page.ts'

/** Asks a person whether a program may act for them. */
export function consentPage(
  request: Request,
  { client, redirectUri, scopes }: Authorization,
  { principal, expiresAt }: Session,
  consent: string,
  teams: readonly string[],
): Response {
  const { requestId, address } = contextOf(request)
  const { host } = new URL(redirectUri)
  const from = client.kind === 'cli' ? 'Part of this portal.' : `Its makers are at ${client.id}.`
  const paragraphs: readonly Value[] = [
    html`<strong>${client.name}</strong> asks to act for you, <strong>${principal.name}</strong>, in
      this portal. ${from}`,
    html`It will be able to:
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPES[scope]} <code>${scope}</code></li>`)}
      </ul>`,
    `It can do no more than you can, and you will see what it did in the audit trail. It ends after 30 days without use and after 90 days in any case; if the identity provider gives it no lasting sign-in, with your session, at ${timeOf(expiresAt)} at the latest. You can end it any time under Settings.`,
    html`The answer goes to <code>${host}</code>${place(host)}. You are at
      ${address ?? 'an unknown address'}. Allow it only if you have just started this yourself.`,
  ]
  const form = html`<form method="post" action="/oauth/authorize">
    <input type="hidden" name="consent" value="${consent}" />
    ${teams.length > 0 ? teamChoice(teams) : null}
    <p class="actions">
      <button class="button" name="choice" value="allow">Allow</button>
      <button name="choice" value="refuse">Refuse</button>
    </p>
  </form>`
  const title = `Allow ${client.name}?`
  const text = pageText({ title, paragraphs, actions: [], form, requestId })
  return new Response(text, { headers: FORM_PAGE_HEADERS })
}

const timeOf = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

const place = (host: string): string =>
  /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::|$)/.test(host) ? ', a program on this computer' : ''

const teamChoice = (teams: readonly string[]) =>
  html`<p>
    <label
      >For
      <select name="team">
        <option value="">all my teams</option>
        ${teams.map((team) => html`<option value="${team}">${team} alone, without clusters</option>`)}
      </select></label
    >
  </p>`
