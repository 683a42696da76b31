import type { Changes } from '../../lib/adapters/hosts/forge/index.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { PullRequest } from '../../lib/ports/git-host.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { type Html, html } from '../../lib/http/html.ts'
import type { MergeRights } from '../merge-rights.ts'
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
  readonly rights: MergeRights
}

export function pullRequestMain(
  request: Request,
  pullRequest: PullRequest,
  { id, commits, changes, rights }: PullRequestDetails,
): Html {
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
      ${state === 'open' ? mergeCard(request, { id, pullRequest, rights }) : null}
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
