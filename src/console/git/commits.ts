import { type Html, type Value, html } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Changes, Tip } from '../../lib/ports/forge.ts'
import type { Commit } from '../../lib/ports/git-host.ts'
import type { PathCommits } from '../../lib/ports/git-host/commit.ts'
import { changesSection } from './changes-view.ts'
import { commitLink, commitsLink, fileLink, folderLink } from './links.ts'
import { pager } from './paging.ts'
import { empty, exactTimeOf, face, plainText, timeOf } from './parts.ts'
import { refPicker, shortId, subjectOf } from './place-head.ts'
import type { Place } from './place.ts'

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

const BODY_MAX_CHARACTERS = 20_000

/** A commit, with its changes. */
export function commitMain(id: RepositoryId, commit: Commit, changes: Changes): Html {
  const author = commit.authorName ?? 'Somebody'
  const body = bodyOf(commit.message)
  return html`
    <div class="title">
      <h1><bdi>${subjectOf(commit.message)}</bdi></h1>
      <p class="title-facts">
        ${face(author)}
        <span
          ><bdi>${plainText(author)}</bdi>
          <span class="muted">${timeOf(commit.committedAt)}${exact(commit.committedAt)}</span></span
        >
        <a class="button title-end" href="${folderLink(id, commit.id, null)}"
          >Files at this commit</a
        >
      </p>
    </div>
    <div class="stack">
      <section class="card" aria-label="Message and ids">
        <div class="card-body">
          ${body === '' ? null : html`<p class="message">${plainText(body)}</p>`}
          <dl class="facts facts-wide">
            <div>
              <dt>Commit</dt>
              <dd><code class="id">${commit.id}</code></dd>
            </div>
            <div>
              <dt>${commit.parents.length > 1 ? 'Parents' : 'Parent'}</dt>
              <dd>${parentsOf(id, commit)}</dd>
            </div>
          </dl>
          ${commit.parents.length > 1 ? html`<p class="muted">A merge: the changes are those against its first parent.</p>` : null}
        </div>
      </section>
      ${changesSection(changes)}
    </div>
  `
}

const exact = (at: number | null): Value => (at === null ? null : html` (${exactTimeOf(at)})`)

const parentsOf = (id: RepositoryId, { parents }: Commit): Value =>
  parents.length === 0
    ? 'none: the first commit'
    : parents.map(
        (parent) => html`<a href="${commitLink(id, parent)}"><code>${shortId(parent)}</code></a> `,
      )

/** The message behind its first line. */
function bodyOf(message: string): string {
  const text = message.trim()
  const lineEnd = text.indexOf('\n')
  if (lineEnd < 0) return ''
  const body = text.slice(lineEnd).trim()
  return body.length > BODY_MAX_CHARACTERS ? `${body.slice(0, BODY_MAX_CHARACTERS)}…` : body
}
