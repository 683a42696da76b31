import type { Changes } from '../../lib/ports/forge.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Commit } from '../../lib/ports/git-host.ts'
import { changesView } from './changes-view.ts'
import { commitLink, folderLink } from './links.ts'
import { face } from './parts.ts'
import { shortId, subjectOf } from './place-head.ts'
import { plainText } from './plain-text.ts'
import { exactTimeOf, timeOf } from './time.ts'

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
      <section class="changes" aria-labelledby="changes">
        <h2 id="changes">Changed files</h2>
        ${changesView(changes)}
      </section>
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
