import type { FolderItem } from '../../lib/ports/forge.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import { decodeUtf8 } from '../../lib/text/utf8.ts'
import { empty } from './parts.ts'
import { plainText } from './plain-text.ts'
import { counted, sizeOf } from './size.ts'

/** A page shows no more of a file. */
export const SHOWN_BYTES_MAX = 512 * 1024
const SHOWN_LINES_MAX = 10_000
/** Git's own rule: a file is binary when there is a NUL at its start. */
const BINARY_BYTES = 8_000

export interface FileView {
  /** In words, such as `12 lines`. */
  readonly facts: string
  readonly body: Value
}

/** Why an item cannot be shown as a file; `null`: it can. */
export function unshownReason(kind: FolderItem['kind']): string | null {
  if (kind === 'symbolic_link') return 'This is a symbolic link. It is not followed here.'
  return kind === 'submodule' ? 'This is a submodule: a commit of another repository.' : null
}

/** `bytes`: `null` for a file that is too large to be read here. */
export function viewOf(bytes: Uint8Array | null, sizeBytes: number | null): FileView {
  const size = sizeBytes === null ? [] : [sizeOf(sizeBytes)]
  if (bytes === null) {
    return { facts: size.join(''), body: empty('This file is too large to show.') }
  }
  const text = textIn(bytes)
  if (text === undefined) return { facts: size.join(''), body: empty('This is a binary file.') }
  if (text === '') return { facts: 'empty', body: empty('This file is empty.') }
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const more = lines.length - SHOWN_LINES_MAX
  return {
    facts: [counted(lines.length, 'line'), ...size].join(' · '),
    body: html`
      ${numbered(lines.slice(0, SHOWN_LINES_MAX))}
      ${more > 0 ? html`<p class="foot">${counted(more, 'further line')} left out.</p>` : null}
    `,
  }
}

/** `undefined` for bytes that are no text. */
export const textIn = (bytes: Uint8Array): string | undefined =>
  bytes.subarray(0, BINARY_BYTES).includes(0) ? undefined : decodeUtf8(bytes)

/** `#L12` leads to a line. Numbers are decoration, so that copied text has none. */
const numbered = (lines: readonly string[]): Html =>
  html`<pre
    class="code"
    tabindex="0"
    role="region"
    aria-label="Contents of the file"
  ><code>${lines.map(numberedLine)}</code></pre>`

const numberedLine = (line: string, index: number): Html => {
  const id = `L${index + 1}`
  const number = html`<a href="#${id}" tabindex="-1" aria-hidden="true"></a>`
  return html`<span id="${id}">${number}${`${plainText(line)}\n`}</span>`
}
