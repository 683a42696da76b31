import type { Folder, FolderItem } from '../../lib/ports/forge.ts'
import type { Forge } from '../../lib/ports/forge.ts'
import { type Html, html } from '../../lib/http/html.ts'
import type { RepositoryPath } from '../../lib/names.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import { ok, type Result } from '../../lib/result.ts'
import { textIn } from './file-view.ts'
import { icon } from './icon.ts'
import { fileLink } from './links.ts'
import { markdown } from './markdown/index.ts'
import { card } from './parts.ts'
import type { Place } from './place.ts'

const README = /^readme\.(?:md|markdown)$/i
const README_BYTES_MAX = 128 * 1024

export interface Readme {
  readonly path: RepositoryPath
  readonly text: string
}

const isReadme = ({ kind, rawName, sizeBytes }: FolderItem): boolean =>
  kind === 'file' && README.test(rawName) && sizeBytes !== null && sizeBytes <= README_BYTES_MAX

/** The README of a folder, if it has one that is text and not too large. */
export async function readReadme(
  forge: Pick<Forge, 'readFiles'>,
  { id, commit }: Place,
  { items }: Folder,
): Promise<Result<Readme | null, GitFailure>> {
  const path = items.find(isReadme)?.path ?? null
  if (path === null) return ok(null)
  for await (const file of forge.readFiles(id, commit, [{ path }], README_BYTES_MAX)) {
    if (!file.ok) return file
    const text = file.value.bytes === null ? undefined : textIn(file.value.bytes)
    return ok(text === undefined ? null : { path, text })
  }
  return ok(null)
}

export const readmeCard = ({ id, ref }: Place, { path, text }: Readme): Html =>
  card({
    title: html`${icon('file')}${path.slice(path.lastIndexOf('/') + 1)}`,
    end: html`<a href="${fileLink(id, ref, path)}">Source</a>`,
    body: html`<div class="card-body">${markdown(text, { id, ref, path })}</div>`,
  })
