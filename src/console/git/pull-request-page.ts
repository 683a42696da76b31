import type { Changes } from '../../lib/ports/forge.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { type Html, html } from '../../lib/http/html.ts'
import type { JudgedPullRequest } from '../../lib/domain/forge/pull-requests.ts'
import { changesView } from './changes-view.ts'
import { commitList } from './commits-view.ts'
import { markdown } from './markdown/index.ts'
import { mergeCard } from './merge-card.ts'
import { card } from './parts.ts'
import { counted } from './size.ts'
import { byline, ending, pullTitle, stateChip } from './pull-request-view.ts'

interface PullRequestDetails {
  readonly id: RepositoryId
  readonly commits: PathCommits
  readonly changes: Changes
  /** Approvals that it needs. */
  readonly required: number
}

export function pullRequestMain(
  judged: JudgedPullRequest,
  { id, commits, changes, required }: PullRequestDetails,
): Html {
  const { pullRequest } = judged
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
      <section class="changes" aria-labelledby="changes">
        <h2 id="changes">Changed files</h2>
        ${changesView(changes)}
      </section>
    </div>
  `
}

const commitCount = ({ commits, nextPage }: PathCommits): string =>
  nextPage === null ? counted(commits.length, 'commit') : `the newest ${commits.length}`
