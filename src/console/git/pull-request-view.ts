import type { ChangedFile } from '../../lib/ports/forge.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import { icon } from './icon.ts'
import { pullLink } from './links.ts'
import { chip } from './parts.ts'
import { plainText } from './plain-text.ts'
import { timeOf } from './time.ts'

/** Titles, bodies, names of branches and files, and diffs are input of users: show them with `plainText`. */

const TONES = { open: 'ok', merged: 'accent', closed: 'bad' } as const
const SIGNS = { open: 'branch', merged: 'merged', closed: 'cross' } as const
const WORDS = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const

export const stateChip = ({ state }: Pick<PullRequest, 'state'>): Html =>
  chip(TONES[state], SIGNS[state], WORDS[state])

const titleOf = ({ title }: PullRequest): string => {
  const text = plainText(title)
  return text.trim() === '' ? '(no title)' : text
}

export const pullTitle = (pullRequest: PullRequest): Html =>
  html`<bdi>${titleOf(pullRequest)}</bdi> <span class="muted">#${pullRequest.number}</span>`

/** Who proposes what to be merged into what. */
export const byline = ({ createdBy, createdAt, head, base }: PullRequest): Html =>
  html`<bdi>${plainText(createdBy)}</bdi> opened this ${timeOf(createdAt)}, to merge
    <code>${head.branch}</code> into <code>${base}</code>`

/** How a pull request ended. Nothing for an open one. */
export function ending({ state, closedAt, mergedBy }: PullRequest): Value {
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
