import type { JudgedPullRequest } from '../../lib/domain/forge/pull-requests.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { ChangedFile } from '../../lib/ports/forge.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { counted } from '../ui/words.ts'
import { changesSection } from './changes-view.ts'
import { commitList } from './commits.ts'
import { pullLink } from './links.ts'
import { markdown } from './markdown/index.ts'
import { card, chip, icon, plainText, timeOf } from './parts.ts'

/** Titles, bodies, names of branches and files, and diffs are input of users: show them with `plainText`. */

const TONES = { open: 'ok', merged: 'accent', closed: 'bad' } as const
const SIGNS = { open: 'branch', merged: 'merged', closed: 'cross' } as const
const WORDS = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const

const stateChip = ({ state }: Pick<PullRequest, 'state'>): Html =>
  chip(TONES[state], SIGNS[state], WORDS[state])

const titleOf = ({ title }: PullRequest): string => {
  const text = plainText(title)
  return text.trim() === '' ? '(no title)' : text
}

export const pullTitle = (pullRequest: PullRequest): Html =>
  html`<bdi>${titleOf(pullRequest)}</bdi> <span class="muted">#${pullRequest.number}</span>`

/** Who proposes what to be merged into what. */
const byline = ({ createdBy, createdAt, head, base }: PullRequest): Html =>
  html`<bdi>${plainText(createdBy)}</bdi> opened this ${timeOf(createdAt)}, to merge
    <code>${head.branch}</code> into <code>${base}</code>`

/** How a pull request ended. Nothing for an open one. */
function ending({ state, closedAt, mergedBy }: PullRequest): Value {
  if (state === 'open') return null
  const by = mergedBy === null ? null : html` by <bdi>${plainText(mergedBy)}</bdi>`
  return html`, ${state}${by} ${timeOf(closedAt)}`
}

/** Pull requests as rows, in the order given. */
export const pullRows = (id: RepositoryId, pulls: readonly PullRequest[]): Html => html`
  <ul class="rows">
    ${pulls.map(
      (pullRequest) => html`
        <li class="row">
          <span class="row-sign" data-tone="${TONES[pullRequest.state]}"
            >${icon(SIGNS[pullRequest.state])}<span class="sr"
              >${WORDS[pullRequest.state]}</span
            ></span
          >
          <div class="row-what">
            <a class="row-title" href="${pullLink(id, pullRequest.number)}"
              ><bdi>${titleOf(pullRequest)}</bdi></a
            >
            <p class="muted">
              #${pullRequest.number} by <bdi>${plainText(pullRequest.createdBy)}</bdi>,
              ${timeOf(pullRequest.createdAt)}${ending(pullRequest)}
            </p>
          </div>
        </li>
      `,
    )}
  </ul>
`

export const changedFileJson = ({ rawPath, ...counts }: ChangedFile) => ({
  path: rawPath,
  ...counts,
})

export const pullRequestJson = ({ createdAt, closedAt, ...rest }: PullRequest) => ({
  ...rest,
  createdAt: new Date(createdAt).toISOString(),
  closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
})

/** Approve, merge and close. What is refused beforehand keeps its button, with the reason. */
function mergeCard(id: RepositoryId, judged: JudgedPullRequest, required: number): Html {
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

interface PullRequestDetails {
  readonly id: RepositoryId
  readonly commits: PathCommits
  /** Approvals that it needs. */
  readonly required: number
}

export function pullRequestMain(
  judged: JudgedPullRequest,
  { id, commits, required }: PullRequestDetails,
): Html {
  const { pullRequest, changes } = judged
  const { body, state } = pullRequest
  return html`
    <div class="title">
      <h1>${pullTitle(pullRequest)}</h1>
      <p class="title-facts">
        ${stateChip(pullRequest)}
        <span class="muted">${byline(pullRequest)}${ending(pullRequest)}</span>
      </p>
    </div>
    <div class="stack">
      ${card({
        title: 'Description',
        body:
          body.trim() === ''
            ? html`<p class="card-body muted">There is no description.</p>`
            : html`<div class="card-body">${markdown(body)}</div>`,
      })}
      ${state === 'open' ? mergeCard(id, judged, required) : null}
      ${card({
        title: 'Commits',
        end: html`<span class="muted">${commitCount(commits)}</span>`,
        body: commitList(id, commits.commits),
      })}
      ${changesSection(changes)}
    </div>
  `
}

const commitCount = ({ commits, nextPage }: PathCommits): string =>
  nextPage === null ? counted(commits.length, 'commit') : `the newest ${commits.length}`
