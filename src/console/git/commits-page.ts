import type { Tip } from '../../lib/ports/forge.ts'
import { type Html, html } from '../../lib/http/html.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { commitList } from './commits-view.ts'
import { commitsLink, fileLink } from './links.ts'
import { pager } from './paging.ts'
import { refPicker } from './place-head.ts'
import type { Place } from './place.ts'

interface CommitsPage {
  readonly url: string
  readonly page: number
  readonly tips: readonly Tip[]
  readonly commits: PathCommits
}

/** The commits of a branch, or of a file or folder. */
export function commitsMain(place: Place, { url, page, tips, commits }: CommitsPage): Html {
  const { id, ref, path } = place
  return html`
    <div class="stack">
      <div class="bar">
        ${refPicker(place, tips, (other) => commitsLink(id, other, path))}
        <h1>Commits</h1>
        ${
          path === null
            ? null
            : html`<p class="bar-end muted">
                of <a href="${fileLink(id, ref, path)}"><code>${path}</code></a>
              </p>`
        }
      </div>
      <section class="card" aria-label="Commits">${commitList(id, commits.commits)}</section>
      ${pager({ url, page, hasNext: commits.nextPage !== null, what: 'commits' })}
    </div>
  `
}
