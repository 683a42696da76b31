import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import type { MergeRights } from '../merge-rights.ts'
import { signInPath } from '../page.ts'
import { icon } from './icon.ts'
import { pullLink } from './links.ts'
import { card } from './parts.ts'

interface MergeCard {
  readonly id: RepositoryId
  readonly pullRequest: PullRequest
  readonly rights: MergeRights
}

/** Merge and close. What is refused beforehand keeps its button, with the reason and whom to ask. */
export function mergeCard(request: Request, { id, pullRequest, rights }: MergeCard): Html {
  const { base, mergeable, head, number } = pullRequest
  const path = pullLink(id, number)
  const body = rights.isAllowed
    ? html`
        <p id="merge-reason">${stateOf(mergeable, base)}</p>
        <div class="actions">
          <form method="post" action="${path}/merge">
            <input type="hidden" name="head" value="${head.commit}" />
            ${mergeable === 'conflicting' ? refused('Merge') : html`<button class="button primary">${icon('merged')}Merge</button>`}
          </form>
          <form method="post" action="${path}/close"><button class="button">Close</button></form>
        </div>
      `
    : html`
        <p id="merge-reason">${whyNot(request, base, rights)}</p>
        <div class="actions">${refused('Merge')} ${refused('Close')}</div>
      `
  return card({ title: 'Merge', body: html`<div class="card-body">${body}</div>` })
}

/** A button that stays in reach of the keyboard and does nothing. */
const refused = (label: string): Html =>
  html`<button class="button" type="button" aria-disabled="true" aria-describedby="merge-reason">
    ${label}
  </button>`

function stateOf(mergeable: PullRequest['mergeable'], base: string): Value {
  if (mergeable === 'conflicting') {
    return html`This branch conflicts with <code>${base}</code>. Resolve the conflict and push
      again.`
  }
  return mergeable === 'clean'
    ? html`This branch has no conflicts with <code>${base}</code>.`
    : html`Whether this branch conflicts with <code>${base}</code> is not known yet.`
}

const whyNot = (request: Request, base: string, { allowed, groups }: MergeRights): Value => html`
  Only ${groups.map((group, index) => html`${index === 0 ? '' : ' and '}<code>${group}</code>`)} may
  merge into
  <code>${base}</code> and close. Ask ${allowed.map(({ name }) => name).join(' or ')}, or
  <a href="${signInPath(request)}">switch to that person</a>.
`
