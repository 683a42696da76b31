import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Commit } from '../../lib/ports/git-host.ts'
import { commitLink, folderLink } from './links.ts'
import { empty, face } from './parts.ts'
import { plainText } from './plain-text.ts'
import { shortId, subjectOf } from './place-head.ts'
import { timeOf } from './time.ts'

/** Commits with their authors and times, newest first. */
export const commitList = (id: RepositoryId, commits: readonly Commit[]): Html =>
  commits.length === 0
    ? empty('There are no commits here.')
    : html`<ol class="rows">
        ${commits.map((commit) => row(id, commit))}
      </ol>`

function row(id: RepositoryId, commit: Commit): Html {
  const author = commit.authorName ?? 'Somebody'
  return html`
    <li class="row">
      ${face(author)}
      <div class="row-what">
        <a class="row-title" href="${commitLink(id, commit.id)}"
          ><bdi>${subjectOf(commit.message)}</bdi></a
        >
        <p class="muted">
          <bdi>${plainText(author)}</bdi>, ${timeOf(commit.committedAt)}${mergeMark(commit)}
        </p>
      </div>
      <a
        class="row-end"
        href="${folderLink(id, commit.id, null)}"
        aria-label="Files at ${shortId(commit.id)}"
        ><code>${shortId(commit.id)}</code></a
      >
    </li>
  `
}

const mergeMark = ({ parents }: Commit): Value => (parents.length > 1 ? ' · merge' : null)
