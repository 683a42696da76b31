import { type Html, type Value, html } from '../../lib/http/html.ts'
import { BranchName, type RepositoryId } from '../../lib/names.ts'
import type { Changes, Forge, Tip } from '../../lib/ports/forge.ts'
import type { GitFailure, NewPullRequest, PullRequest } from '../../lib/ports/git-host.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { ok, type Result } from '../../lib/result.ts'
import { ONE_LINE } from '../../lib/schema/one-line.ts'
import { TEXT_RULES } from '../../lib/schema/rules.ts'
import { changesSection } from './changes-view.ts'
import { commitList } from './commits.ts'
import { type InvalidForm, invalidField } from './forge-problem.ts'
import { pullLink, repositoryLink } from './links.ts'
import { card, empty, icon } from './parts.ts'
import { subjectOf } from './place-head.ts'
import { pullTitle } from './pull-request.ts'

const TITLE_MAX_CHARACTERS = 200
const TITLE = new RegExp(ONE_LINE, 'u')
const BODY_MAX_CHARACTERS = 20_000
/** A character takes up to twelve bytes in a form. */
export const PROPOSAL_BYTES_MAX = 256 * 1024

/** The pull request that a form asks for. */
export function proposalIn(
  form: URLSearchParams,
): Result<Omit<NewPullRequest, 'author'>, InvalidForm> {
  const head = BranchName.parse(form.get('head'))
  const base = BranchName.parse(form.get('base'))
  const title = (form.get('title') ?? '').trim()
  // Browsers send the line ends of the network.
  const body = (form.get('body') ?? '').replaceAll('\r\n', '\n').trim()
  if (head === undefined) return invalidField('/head', 'branch_name', TEXT_RULES.branch_name)
  if (base === undefined) return invalidField('/base', 'branch_name', TEXT_RULES.branch_name)
  if (title === '' || title.length > TITLE_MAX_CHARACTERS || !TITLE.test(title)) {
    return invalidField(
      '/title',
      'one_line',
      `must be ${TEXT_RULES.one_line}, of 1 to ${TITLE_MAX_CHARACTERS} characters`,
    )
  }
  if (body.length > BODY_MAX_CHARACTERS) {
    return invalidField(
      '/body',
      'max_length',
      `must have at most ${BODY_MAX_CHARACTERS} characters`,
    )
  }
  return ok({ head, base, title, body })
}

/** A pull request that is about to be opened. */
export interface Proposal {
  readonly tips: readonly Tip[]
  readonly head: Tip | undefined
  readonly base: Tip | undefined
  readonly comparison: Comparison | null
}

/** The way from one branch to another. */
export interface Comparison {
  readonly commits: PathCommits
  readonly changes: Changes
  /** The one that is open between them. */
  readonly open: PullRequest | undefined
}

type Reads = Pick<Forge, 'browse' | 'findPullRequests'>

/** By default nothing is merged into the default branch. An unknown branch counts as none. */
export async function readProposal(
  forge: Reads,
  id: RepositoryId,
  query: URLSearchParams,
): Promise<Result<Proposal, GitFailure>> {
  const found = await forge.browse.tips(id)
  if (!found.ok) return found
  const { tips } = found.value
  const named = (name: string | null) => tips.find(({ branch }) => branch === name)
  const head = named(query.get('head'))
  const base = named(query.get('base')) ?? tips.find(({ isDefault }) => isDefault)
  if (head === undefined || base === undefined || head.branch === base.branch) {
    return ok({ tips, head, base, comparison: null })
  }
  const comparison = await compare(forge, id, { head, base })
  return comparison.ok ? ok({ tips, head, base, comparison: comparison.value }) : comparison
}

async function compare(
  forge: Reads,
  id: RepositoryId,
  { head, base }: { readonly head: Tip; readonly base: Tip },
): Promise<Result<Comparison, GitFailure>> {
  const [commits, changes, open] = await Promise.all([
    forge.browse.history(id, { of: head.commit, without: base.commit }),
    forge.browse.changes(id, { base: base.commit, head: head.commit }),
    forge.findPullRequests(id, { head: head.branch, base: base.branch, state: 'open' }),
  ])
  if (!commits.ok) return commits
  if (!changes.ok) return changes
  return open.ok
    ? ok({ commits: commits.value, changes: changes.value, open: open.value[0] })
    : open
}

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
  html`<option value="${branch}" ${isChosen ? html`selected` : null}>${branch}</option>`

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
    ${card({ title: 'Commits', body: commitList(id, commits.commits) })} ${changesSection(changes)}
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
