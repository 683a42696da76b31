import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { Changes } from '../../lib/ports/forge.ts'
import { counted } from '../ui/words.ts'
import { empty, plainText } from './parts.ts'

type ChangedFile = Changes['files'][number]

/** A page shows no more: a diff of a megabyte can have a million lines. */
const LINES_MAX = 8_000
const FILES_MAX = 300

export const changesSection = (changes: Changes): Html =>
  html`<section class="changes" aria-labelledby="changes">
    <h2 id="changes">Changed files</h2>
    ${changesView(changes)}
  </section>`

/** Changed files, each with its part of the diff. */
export function changesView({ files, diff }: Changes): Html {
  if (files.length === 0) return empty('Nothing is changed.')
  const lines = diff.text.replace(/\n$/, '').split('\n')
  const sections = sectionsOf(lines.slice(0, LINES_MAX))
  const isCut = diff.truncated || lines.length > LINES_MAX
  // Git writes both in one order. A file that became a link has two sections, and then nobody can say which is whose.
  const areNamed = sections.length === files.length || (isCut && sections.length < files.length)
  const shown = files.slice(0, FILES_MAX)
  return html`
    <p class="changes-sum muted">${summary(files)}</p>
    ${
      areNamed
        ? shown.map((file, index) => fileChanges(file, index, sections[index] ?? []))
        : html`${fileNames(shown)} ${diffOf(sections.flat(), 'Unified diff')}`
    }
    ${
      files.length > shown.length
        ? html`<p class="foot">
            ${counted(files.length - shown.length, 'further file')} left out.
          </p>`
        : null
    }
    ${isCut ? html`<p class="foot">The diff is cut off here: it is too long.</p>` : null}
  `
}

function summary(files: readonly ChangedFile[]): string {
  const sum = (of: (file: ChangedFile) => number | null) =>
    files.reduce((total, file) => total + (of(file) ?? 0), 0)
  const added = sum(({ additions }) => additions)
  const deleted = sum(({ deletions }) => deletions)
  return `${counted(files.length, 'file')} changed, +${added} −${deleted}`
}

const fileChanges = (file: ChangedFile, index: number, lines: readonly string[]): Html => html`
  <details class="diff" id="file-${index + 1}" open>
    <summary>
      <code><bdi>${plainText(file.rawPath)}</bdi></code>
      <span class="muted">${file.change}</span>
      <span class="diff-count">${countsOf(file)}</span>
    </summary>
    ${bodyOf(file, lines)}
  </details>
`

function countsOf({ additions, deletions }: ChangedFile): Value {
  if (additions === null || deletions === null) return 'binary'
  return html`<b data-tone="ok">+${additions}</b> <b data-tone="bad">−${deletions}</b>`
}

function bodyOf(file: ChangedFile, lines: readonly string[]): Value {
  if (file.additions === null) return html`<p class="foot">Binary files are not compared.</p>`
  const hunks = lines.findIndex((line) => line.startsWith('@@ '))
  if (hunks >= 0) return diffOf(lines.slice(hunks), `Changes in ${plainText(file.rawPath)}`)
  return html`<p class="foot">
    No line of it is shown: ${plainText(lines.slice(1).join(', ') || 'the diff is cut off')}
  </p>`
}

const fileNames = (files: readonly ChangedFile[]): Html => html`
  <ul class="rows">
    ${files.map(
      (file) =>
        html`<li class="row">
          <code><bdi>${plainText(file.rawPath)}</bdi></code> ${countsOf(file)}
        </li>`,
    )}
  </ul>
`

/** The parts of a unified diff, one for each file. Lines inside a part begin with a sign, and none of them looks like a header. */
function sectionsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const sections: string[][] = []
  for (const line of lines) {
    if (line.startsWith('diff --git ')) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections
}

const KINDS: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'at' }

/** Neighbours of one kind are one element. The sign stays text, so that nothing hangs on the colour. */
function diffOf(lines: readonly string[], label: string): Html {
  const runs: { readonly kind: string; readonly lines: string[] }[] = []
  let isInHunk = false
  for (const line of lines) {
    isInHunk = line.startsWith('@@ ') || (isInHunk && !line.startsWith('diff --git '))
    const kind = isInHunk ? (KINDS[line.charAt(0)] ?? 'same') : 'at'
    const last = runs.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else runs.push({ kind, lines: [line] })
  }
  return html`<pre tabindex="0" role="region" aria-label="${label}">
${runs.map(
      (run) =>
        html`<span class="diff-${run.kind}"
          >${run.lines.map((line) => `${plainText(line)}\n`)}</span
        >`,
    )}</pre>`
}
