import type { Tip } from '../../lib/ports/forge.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import { BODY_MAX_CHARACTERS, TITLE_MAX_CHARACTERS } from './proposal-form.ts'
import { changesView } from './changes-view.ts'
import { commitList } from './commits-view.ts'
import { icon } from './icon.ts'
import { pullLink, repositoryLink } from './links.ts'
import { card, empty } from './parts.ts'
import { subjectOf } from './place-head.ts'
import type { Comparison, Proposal } from './proposal.ts'
import { pullTitle } from './pull-request-view.ts'

/** The changes that would be merged, and a form for title and description. */
export function newPullMain(id: RepositoryId, proposal: Proposal): Html {
  return html`
    <div class="bar"><h1>New pull request</h1></div>
    <div class="stack">${branchForm(id, proposal)} ${outcome(id, proposal)}</div>
  `
}

const branchForm = (id: RepositoryId, { tips, head, base }: Proposal): Html => html`
  <form class="card compare" method="get" action="${repositoryLink(id)}/pulls/new">
    ${branchField('head', 'Merge this branch', tips, head)}
    <span class="compare-arrow muted">${icon('arrow')}</span>
    ${branchField('base', 'into', tips, base)}
    <button class="button">Compare</button>
  </form>
`

const branchField = (
  name: string,
  label: string,
  tips: readonly Tip[],
  chosen: Tip | undefined,
): Html => html`
  <p class="input">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" required>
      ${chosen === undefined ? html`<option value="">Choose a branch</option>` : null}
      ${tips.map(({ branch }) => option(branch, branch === chosen?.branch))}
    </select>
  </p>
`

const option = (branch: string, isChosen: boolean): Html =>
  isChosen
    ? html`<option value="${branch}" selected>${branch}</option>`
    : html`<option value="${branch}">${branch}</option>`

function outcome(id: RepositoryId, { head, base, comparison }: Proposal): Value {
  if (head === undefined) {
    return html`<section class="card">
      ${empty('Choose the branch that has your change.', html`<p>Push one first: <code>git push origin HEAD:my-change</code></p>`)}
    </section>`
  }
  if (comparison === null) {
    return html`<section class="card">${empty('A branch cannot be merged into itself.')}</section>`
  }
  const { commits, changes, open } = comparison
  if (commits.commits.length === 0) {
    return html`<section class="card">
      ${empty('There is nothing to merge.', html`<p><code>${base?.branch ?? ''}</code> has every commit of <code>${head.branch}</code>.</p>`)}
    </section>`
  }
  return html`
    ${open === undefined ? textForm(id, proposed(head, base, comparison)) : alreadyOpen(id, comparison)}
    ${card({ title: 'Commits', body: commitList(id, commits.commits) })}
    <section class="changes" aria-labelledby="changes">
      <h2 id="changes">Changed files</h2>
      ${changesView(changes)}
    </section>
  `
}

const alreadyOpen = (id: RepositoryId, { open }: Comparison): Value =>
  open === undefined
    ? null
    : html`<section class="card">
        ${empty('A pull request is open for this branch.', html`<p><a href="${pullLink(id, open.number)}">${pullTitle(open)}</a></p>`)}
      </section>`

interface Proposed {
  readonly head: string
  readonly base: string
  readonly title: string
}

/** A single commit says what it is about. */
function proposed(head: Tip, base: Tip | undefined, { commits }: Comparison): Proposed {
  const [newest, ...more] = commits.commits
  const title = newest !== undefined && more.length === 0 ? subjectOf(newest.message) : ''
  return { head: head.branch, base: base?.branch ?? '', title }
}

const textForm = (id: RepositoryId, { head, base, title }: Proposed): Html => html`
  <form class="card" method="post" action="${repositoryLink(id)}/pulls/new">
    <div class="card-body fields">
      <input type="hidden" name="head" value="${head}" />
      <input type="hidden" name="base" value="${base}" />
      <p class="input">
        <label for="title">Title</label>
        <input
          id="title"
          name="title"
          value="${title}"
          required
          maxlength="${TITLE_MAX_CHARACTERS}"
        />
      </p>
      <p class="input">
        <label for="body">Description <span class="muted">in Markdown</span></label>
        <textarea id="body" name="body" rows="5" maxlength="${BODY_MAX_CHARACTERS}"></textarea>
      </p>
      <div class="actions">
        <button class="button primary">${icon('branch')}Open pull request</button>
      </div>
    </div>
  </form>
`
