import type { ChangedFile } from '../lib/adapters/git-host/local/index.ts'
import type { PullRequest } from '../lib/ports/git-host.ts'
import { type Html, html } from '../lib/http/html.ts'
import { dateOf } from './page.ts'
import { plainText } from './plain-text.ts'

/** Titles, bodies, names of branches and files, and diffs are input of users: show them with `plainText`. */

export const badge = ({ state }: PullRequest): Html =>
  html`<span class="badge ${state}">${state}</span>`

export const byline = ({ createdBy, createdAt, head, base }: PullRequest): Html =>
  html`${plainText(createdBy)} opened this on ${dateOf(createdAt)}, to merge
    <code>${head.branch}</code> into <code>${base}</code>`

export const fileList = (files: readonly ChangedFile[]): Html => html`
  <ul class="rows">
    ${files.map(
      ({ rawPath, change, additions, deletions }) => html`
        <li>
          <code>${plainText(rawPath)}</code>
          <span class="soft"
            >${change}${additions === null ? ', binary' : `, +${additions} −${deletions ?? 0}`}</span
          >
        </li>
      `,
    )}
  </ul>
`

export function diffBlock({
  text,
  truncated,
}: {
  readonly text: string
  readonly truncated: boolean
}) {
  const lines = text.replace(/\n$/, '').split('\n')
  return html`
    <pre
      class="diff"
      tabindex="0"
      aria-label="Unified diff"
    ><code>${highlighted(lines)}</code></pre>
    ${truncated ? html`<p class="soft">The diff is cut off here.</p>` : null}
  `
}

/** Inside a hunk only the first character of a line counts, even if the line looks like a header. */
function highlighted(lines: readonly string[]): readonly Html[] {
  let isInHunk = false
  return lines.map((line) => {
    if (line.startsWith('diff --git ')) isInHunk = false
    if (line.startsWith('@@ ')) isInHunk = true
    const kind = isInHunk ? hunkClass(line) : 'file'
    return html`<span class="${kind}">${`${plainText(line)}\n`}</span>`
  })
}

function hunkClass(line: string): string {
  if (line.startsWith('+')) return 'added'
  if (line.startsWith('-')) return 'deleted'
  return line.startsWith('@@') ? 'hunk' : 'same'
}

export const changedFileJson = ({ rawPath, ...counts }: ChangedFile) => ({
  path: rawPath,
  ...counts,
})

export const pullRequestJson = ({ createdAt, closedAt, ...rest }: PullRequest) => ({
  ...rest,
  createdAt: new Date(createdAt).toISOString(),
  closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
})
