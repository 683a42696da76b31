import type { ChangedFile } from '../lib/adapters/git-host/local/index.ts'
import type { RepositoryId } from '../lib/names.ts'
import type { PullRequest } from '../lib/ports/git-host.ts'
import { type Html, html } from '../lib/http/html.ts'
import { dateOf, signInPath } from './page.ts'
import { plainText } from './plain-text.ts'
import { badge, byline, diffBlock, fileList } from './pull-request-view.ts'

interface PullRequestDetails {
  readonly files: readonly ChangedFile[]
  readonly diff: { readonly text: string; readonly truncated: boolean }
  readonly mayAct: boolean
}

export function pullRequestMain(
  request: Request,
  { owner, name }: RepositoryId,
  pullRequest: PullRequest,
  { files, diff, mayAct }: PullRequestDetails,
): Html {
  const { number, title, body, state, closedAt } = pullRequest
  const pulls = `/git/${owner}/${name}/pulls`
  return html`
    <p><a href="${pulls}">Pull requests of ${owner}/${name}</a></p>
    <h1>${plainText(title)} <span class="number">#${number}</span></h1>
    <p>
      ${badge(pullRequest)}
      <span class="soft"
        >${byline(pullRequest)}${closedAt === null ? null : html`, ${state} ${dateOf(closedAt)}`}</span
      >
    </p>
    ${body === '' ? null : html`<p class="body">${plainText(body)}</p>`}
    ${state === 'open' ? actions(request, `${pulls}/${number}`, pullRequest, mayAct) : null}
    <h2>Changed files</h2>
    ${fileList(files)}
    <h2>Diff</h2>
    ${diffBlock(diff)}
  `
}

function actions(
  request: Request,
  path: string,
  { head, mergeable, base }: PullRequest,
  mayAct: boolean,
): Html {
  if (!mayAct) {
    return html`<p>
      Only the platform team merges and closes pull requests.
      <a href="${signInPath(request)}">Sign in as Priya Raman (platform)</a> to do it.
    </p>`
  }
  const merge =
    mergeable === 'conflicting'
      ? html`<button class="main" disabled>Merge</button>`
      : html`<button class="main">Merge</button>`
  return html`
    <div class="actions">
      <form method="post" action="${path}/merge">
        <input type="hidden" name="head" value="${head.commit}" />
        ${merge}
      </form>
      <form method="post" action="${path}/close"><button>Close</button></form>
    </div>
    ${
      mergeable === 'conflicting'
        ? html`<p>
            This branch conflicts with <code>${base}</code>. Resolve the conflict and push again.
          </p>`
        : null
    }
  `
}
