import { type Html, html, type Value } from '../../lib/http/html.ts'
import { type ObjectId, RepositoryPath } from '../../lib/names.ts'
import type { Tip } from '../../lib/ports/forge.ts'
import type { Commit } from '../../lib/ports/git-host.ts'
import { commitLink, commitsLink, folderLink, repositoryLink } from './links.ts'
import { current, face, icon, plainText, timeOf } from './parts.ts'
import type { Place } from './place.ts'

const BRANCHES_OFFERED_MAX = 12
const SHORT_ID_LENGTH = 7

export const shortId = (commit: ObjectId): string => commit.slice(0, SHORT_ID_LENGTH)

/** `null`: the top of the repository. */
export const parentOf = (path: RepositoryPath): RepositoryPath | null =>
  RepositoryPath.parse(path.slice(0, Math.max(0, path.lastIndexOf('/')))) ?? null

/** The folders above a path, from the top. */
function foldersAbove(path: RepositoryPath): readonly RepositoryPath[] {
  const parent = parentOf(path)
  return parent === null ? [] : [...foldersAbove(parent), parent]
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The heading of a file or a folder, whose parts lead up to the top. */
export function placeHeading({ id, ref, path }: Place): Html {
  if (path === null) return html`<h1 class="path">${id.name}</h1>`
  const link = (label: string, folder: RepositoryPath | null): Html =>
    html`<a href="${folderLink(id, ref, folder)}">${label}</a
      ><span class="muted" aria-hidden="true">/</span>`
  return html`
    <h1 class="path">
      ${link(id.name, null)}${foldersAbove(path).map((folder) => link(lastPart(folder), folder))}<span
        >${lastPart(path)}</span
      >
    </h1>
  `
}

/** `linkTo`: the same page on another branch. */
export function refPicker(
  { id, ref }: Pick<Place, 'id' | 'ref'>,
  tips: readonly Tip[],
  linkTo: (ref: string) => string,
): Html {
  const isBranch = tips.some(({ branch }) => branch === ref)
  return html`
    <details class="picker">
      <summary class="button">
        ${icon(isBranch ? 'split' : 'commit')}
        <span class="sr">${isBranch ? 'Branch' : 'Commit'}</span>
        <span class="picker-name">${isBranch ? ref : ref.slice(0, SHORT_ID_LENGTH)}</span
        >${icon('chevron')}
      </summary>
      <div class="picker-list">
        <ul>
          ${tips.slice(0, BRANCHES_OFFERED_MAX).map(({ branch }) => choice(branch, branch === ref, linkTo))}
        </ul>
        <a class="picker-all" href="${repositoryLink(id)}/branches">All branches</a>
      </div>
    </details>
  `
}

const choice = (branch: string, isCurrent: boolean, linkTo: (ref: string) => string): Html =>
  html`<li><a href="${linkTo(branch)}" ${current(isCurrent)}>${branch}</a></li>`

/** The last commit of a place, above its contents. */
export function lastCommit({ id, ref, path }: Place, commit: Commit | undefined): Value {
  if (commit === undefined) return null
  const author = commit.authorName ?? 'Somebody'
  return html`
    <div class="last-commit">
      ${face(author)}
      <p>
        <bdi class="last-author">${plainText(author)}</bdi>
        <a class="last-subject" href="${commitLink(id, commit.id)}"
          ><bdi>${subjectOf(commit.message)}</bdi></a
        >
      </p>
      <p class="muted">
        <code>${shortId(commit.id)}</code> ${timeOf(commit.committedAt)}
        <a href="${commitsLink(id, ref, path)}">History</a>
      </p>
    </div>
  `
}

const SUBJECT_MAX_CHARACTERS = 200

/** The first line of a commit's message. */
export function subjectOf(message: string): string {
  const [line = ''] = message.trimStart().split('\n', 1)
  const subject = plainText(line.slice(0, SUBJECT_MAX_CHARACTERS))
  return subject.trim() === '' ? '(no message)' : subject
}
