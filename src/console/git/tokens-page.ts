import type { DeployTokenRow } from '../../lib/ports/database/deploy-tokens.ts'
import { type Html, html } from '../../lib/http/html.ts'
import { Label, type RepositoryId } from '../../lib/names.ts'
import { ok, type Result } from '../../lib/result.ts'
import { TEXT_RULES } from '../../lib/schema/rules.ts'
import { type InvalidForm, invalidField } from './forge-problem.ts'
import { card, chip, empty, icon, plainText, timeOf } from './parts.ts'
import { repositoryLink, tokensLink } from './links.ts'

const ACCESS_WORDS = { read: 'Read', write: 'Read and write' } as const

interface Wanted {
  readonly name: Label
  readonly access: DeployTokenRow['access']
}

/** The token that a form asks for. */
export function tokenIn(form: URLSearchParams): Result<Wanted, InvalidForm> {
  const name = Label.parse(form.get('name'))
  const access = form.get('access')
  if (name === undefined) return invalidField('/name', 'name', TEXT_RULES.name)
  if (access !== 'read' && access !== 'write') {
    return invalidField('/access', 'one_of', 'must be one of read, write')
  }
  return ok({ name, access })
}

interface TokensPage {
  /** The token that was made just now, which is shown this once. */
  readonly made: string | null
  readonly origin: string
}

/** The deploy tokens of a repository, and a form for another. */
export const tokensMain = (
  id: RepositoryId,
  tokens: readonly DeployTokenRow[],
  { made, origin }: TokensPage,
): Html => html`
  <div class="bar"><h1>Deploy tokens</h1></div>
  <div class="stack">
    ${made === null ? null : madeCard(id, made, origin)}
    ${card({
      title: 'Tokens of this repository',
      body:
        tokens.length === 0
          ? empty(
              'There are none.',
              html`<p>Argo CD and CI clone and push with one as their password.</p>`,
            )
          : html`<ul class="rows">
              ${tokens.map((token) => tokenRow(id, token))}
            </ul>`,
    })}
    ${newCard(id)}
  </div>
`

const madeCard = (id: RepositoryId, token: string, origin: string): Html =>
  card({
    title: html`${icon('key')}The new token`,
    body: html`<div class="card-body">
      <p>Copy it now: it is not shown again. Any user name goes with it.</p>
      <pre class="command command-short" tabindex="0"><code>${token}</code></pre>
      <pre
        class="command command-short"
        tabindex="0"
      ><code>git clone ${origin.replace('://', '://deploy@')}${repositoryLink(id)}.git</code></pre>
    </div>`,
  })

const tokenRow = (
  repository: RepositoryId,
  { id, name, access, createdAt, personName, lastUsedAt }: DeployTokenRow,
): Html => html`
  <li class="row">
    <div class="row-what">
      <p class="row-title">
        ${name} ${chip(access === 'write' ? 'warn' : 'info', 'key', ACCESS_WORDS[access])}
      </p>
      <p class="muted">
        Made by <bdi>${plainText(personName)}</bdi> ${timeOf(createdAt)},
        ${lastUsedAt === null ? 'never used' : html`last used ${timeOf(lastUsedAt)}`}
      </p>
    </div>
    <form class="row-end" method="post" action="${tokensLink(repository)}/${id}/end">
      <button class="button" aria-label="End ${name}">End</button>
    </form>
  </li>
`

const newCard = (id: RepositoryId): Html => html`
  <form class="card" method="post" action="${tokensLink(id)}">
    <header><h2>New token</h2></header>
    <div class="card-body fields">
      <p class="input">
        <label for="name">Name <span class="muted">of who uses it, such as argo-cd</span></label>
        <input id="name" name="name" required maxlength="63" autocomplete="off" />
      </p>
      <p class="input">
        <label for="access">Access</label>
        <select id="access" name="access">
          <option value="read">${ACCESS_WORDS.read}</option>
          <option value="write">
            ${ACCESS_WORDS.write}: branches and tags, not the default branch
          </option>
        </select>
      </p>
      <div class="actions"><button class="button primary">${icon('plus')}Make a token</button></div>
    </div>
  </form>
`
