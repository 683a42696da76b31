import type { JudgedPullRequest } from '../../lib/domain/forge/pull-requests.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import { icon } from './icon.ts'
import { pullLink } from './links.ts'
import { card, chip } from './parts.ts'
import { plainText } from './plain-text.ts'
import { counted } from './size.ts'

/** Approve, merge and close. What is refused beforehand keeps its button, with the reason. */
export function mergeCard(id: RepositoryId, judged: JudgedPullRequest, required: number): Html {
  const { pullRequest, isAllowed, isOwn, approvals } = judged
  const { head, mergeable, number } = pullRequest
  const path = pullLink(id, number)
  const isMergeable = isAllowed && mergeable !== 'conflicting' && approvals.length >= required
  const form = (act: string, label: Html, style: string): Html => html`
    <form method="post" action="${path}/${act}">
      <input type="hidden" name="head" value="${head.commit}" />
      <button class="button${style}">${label}</button>
    </form>
  `
  return card({
    title: 'Merge',
    end: approvals.length > 0 || required > 0 ? approvalChip(judged, required) : null,
    body: html`<div class="card-body">
      <div id="merge-reason">
        ${reasons(judged, required).map((reason) => html`<p>${reason}</p>`)}
      </div>
      <div class="actions">
        ${isMergeable ? form('merge', html`${icon('merged')}Merge`, ' primary') : refused('Merge')}
        ${isAllowed && !isOwn ? form('approve', html`${icon('check')}Approve`, '') : refused('Approve')}
        ${isAllowed ? form('close', html`Close`, '') : refused('Close')}
      </div>
    </div>`,
  })
}

const approvalChip = ({ approvals }: JudgedPullRequest, required: number): Html =>
  approvals.length >= required
    ? chip('ok', 'check', 'Approved')
    : chip('warn', 'clock', `${approvals.length} of ${counted(required, 'approval')}`)

/** A button that stays in reach of the keyboard and does nothing. */
const refused = (label: string): Html =>
  html`<button class="button" type="button" aria-disabled="true" aria-describedby="merge-reason">
    ${label}
  </button>`

function reasons(judged: JudgedPullRequest, required: number): readonly Value[] {
  const { pullRequest, isAllowed, isOwn, groups, approvals } = judged
  const { mergeable, base } = pullRequest
  const found: Value[] = []
  if (!isAllowed) {
    found.push(
      html`Only
        ${groups.map((group, index) => html`${index === 0 ? '' : ' and '}<code>${group}</code>`)}
        may approve, merge into <code>${base}</code> and close.`,
    )
  }
  found.push(stateOf(mergeable, base))
  if (approvals.length > 0) {
    found.push(html`Approved by ${approvals.map(({ name }) => plainText(name)).join(', ')}.`)
  }
  if (approvals.length < required) {
    found.push(
      html`It needs ${counted(required, 'approval')} of its last commit. A push takes approvals
      away.`,
    )
  }
  if (isAllowed && isOwn) {
    found.push(html`You have opened this, or a commit of it is yours: somebody else approves it.`)
  }
  return found
}

function stateOf(mergeable: 'clean' | 'conflicting' | 'unknown', base: string): Value {
  if (mergeable === 'conflicting') {
    return html`This branch conflicts with <code>${base}</code>. Resolve the conflict and push
      again.`
  }
  return mergeable === 'clean'
    ? html`This branch has no conflicts with <code>${base}</code>.`
    : html`Whether this branch conflicts with <code>${base}</code> is not known yet.`
}
