import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryPath } from '../../lib/names.ts'
import type { FolderItem, Forge, Tips } from '../../lib/ports/forge.ts'
import type { Commit, GitFailure } from '../../lib/ports/git-host.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import { decodeUtf8 } from '../../lib/text/utf8.ts'
import { counted } from '../ui/words.ts'
import { fileLink, rawLink } from './links.ts'
import { empty, plainText, sizeOf } from './parts.ts'
import { lastCommit, placeHeading, refPicker } from './place-head.ts'
import type { Place } from './place.ts'

/** A page shows no more of a file. */
const SHOWN_BYTES_MAX = 512 * 1024
const SHOWN_LINES_MAX = 10_000
/** Git's own rule: a file is binary when there is a NUL at its start. */
const BINARY_BYTES = 8_000

export interface FileView {
  /** In words, such as `12 lines`. */
  readonly facts: string
  readonly body: Value
}

/** Why an item cannot be shown as a file; `null`: it can. */
function unshownReason(kind: FolderItem['kind']): string | null {
  if (kind === 'symbolic_link') return 'This is a symbolic link. It is not followed here.'
  return kind === 'submodule' ? 'This is a submodule: a commit of another repository.' : null
}

/** `bytes`: `null` for a file that is too large to be read here. */
function viewOf(bytes: Uint8Array | null, sizeBytes: number | null): FileView {
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

export interface FilePlace extends Place {
  readonly path: RepositoryPath
}

/** Facts for the page of a file. */
export interface FileFacts {
  readonly place: FilePlace
  readonly item: FolderItem
  readonly tips: Tips
  readonly lastCommit: Commit | undefined
  /** `null`: too large, or no regular file. */
  readonly bytes: Uint8Array | null
}

export async function readFile(
  forge: Pick<Forge, 'browse' | 'readFiles'>,
  place: FilePlace,
): Promise<Result<FileFacts, GitFailure>> {
  const { id, commit, path } = place
  const item = await forge.browse.item(id, { commit, path })
  if (!item.ok) return item
  if (item.value === null) return err({ kind: 'git_not_found', what: 'file' })
  const [tips, commits, bytes] = await Promise.all([
    forge.browse.tips(id),
    forge.browse.history(id, { of: commit, path }),
    item.value.kind === 'file' ? readBytes(forge, place, SHOWN_BYTES_MAX) : ok(null),
  ])
  if (!tips.ok) return tips
  if (!commits.ok) return commits
  if (!bytes.ok) return bytes
  const [lastCommit] = commits.value.commits
  return ok({ place, item: item.value, tips: tips.value, lastCommit, bytes: bytes.value })
}

/** `null`: the file has more than `bytesMax`. */
export async function readBytes(
  forge: Pick<Forge, 'readFiles'>,
  { id, commit, path }: FilePlace,
  bytesMax: number,
): Promise<Result<Uint8Array | null, GitFailure>> {
  for await (const file of forge.readFiles(id, commit, [{ path }], bytesMax)) {
    return file.ok ? ok(file.value.bytes) : file
  }
  return err({ kind: 'git_not_found', what: 'file' })
}

/** A file of a branch or a commit. */
export function fileMain({ place, item, tips, bytes, ...facts }: FileFacts): Html {
  const reason = unshownReason(item.kind)
  const view = reason === null ? viewOf(bytes, item.sizeBytes) : { facts: '', body: empty(reason) }
  return html`
    <div class="stack">
      <div class="bar">
        ${refPicker(place, tips.tips, (ref) => fileLink(place.id, ref, place.path))}
        ${placeHeading(place)}
        <p class="bar-end muted">${view.facts}</p>
        ${reason === null ? html`<a class="button" href="${rawLink(place.id, place.ref, place.path)}">Raw</a>` : null}
      </div>
      <section class="card" aria-label="File">
        ${lastCommit(place, facts.lastCommit)}${view.body}
      </section>
    </div>
  `
}

export const RAW_BYTES_MAX = 10 * 1024 * 1024

/**
 * Somebody else's bytes from our own origin: text that a browser shows as text, or a download, and never a page. Paths have no character that
 * ends a quoted file name.
 */
export function rawAnswer(path: RepositoryPath, bytes: Uint8Array): Response {
  const isText = textIn(bytes) !== undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  return new Response(new Blob([bytes]), {
    headers: {
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'content-disposition': `${isText ? 'inline' : 'attachment'}; filename="${name}"`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'no-store',
      vary: 'cookie',
    },
  })
}
