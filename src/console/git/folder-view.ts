import type { Folder, FolderItem } from '../../lib/ports/forge.ts'
import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryPath } from '../../lib/names.ts'
import { icon, type IconName } from './icon.ts'
import { fileLink, folderLink } from './links.ts'
import { empty } from './parts.ts'
import type { Place } from './place.ts'
import { parentOf } from './place-head.ts'
import { plainText } from './plain-text.ts'
import { counted, sizeOf } from './size.ts'

const ITEMS_MAX = 1_000

const SIGNS: Readonly<Record<FolderItem['kind'], IconName>> = {
  folder: 'folder',
  file: 'file',
  symbolic_link: 'link',
  submodule: 'repository',
}

const KINDS: Readonly<Record<FolderItem['kind'], string | null>> = {
  folder: 'folder',
  file: null,
  symbolic_link: 'symbolic link',
  submodule: 'submodule',
}

/** The items of a folder as a table. */
export function folderTable(place: Omit<Place, 'commit'>, { items, isCut }: Folder): Html {
  if (items.length === 0) return empty('This folder is empty.')
  const shown = items.slice(0, ITEMS_MAX)
  const more = items.length - shown.length
  return html`
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="list-end">Size</th>
        </tr>
      </thead>
      <tbody>
        ${place.path === null ? null : wayUp(place, place.path)}
        ${shown.map((item) => row(place, item))}
      </tbody>
    </table>
    ${more > 0 || isCut ? html`<p class="foot">${leftOut(more, isCut)}</p>` : null}
  `
}

const leftOut = (more: number, isCut: boolean): string =>
  isCut
    ? 'This folder is too large to show: further items are left out.'
    : `${counted(more, 'further item')} of this folder left out.`

const wayUp = ({ id, ref }: Omit<Place, 'commit'>, path: RepositoryPath): Html => html`
  <tr>
    <td class="list-what">
      ${icon('folder')}<a href="${folderLink(id, ref, parentOf(path))}" aria-label="Folder above"
        >..</a
      >
    </td>
    <td class="list-end">folder</td>
  </tr>
`

function row(
  { id, ref }: Omit<Place, 'commit'>,
  { kind, rawName, path, sizeBytes }: FolderItem,
): Html {
  const name = plainText(rawName)
  const isOpenable = kind === 'folder' || kind === 'file' || kind === 'symbolic_link'
  const href =
    path === null || !isOpenable
      ? null
      : kind === 'folder'
        ? folderLink(id, ref, path)
        : fileLink(id, ref, path)
  return html`
    <tr>
      <td class="list-what">
        ${icon(SIGNS[kind])}${href === null ? html`<bdi>${name}</bdi>` : html`<a href="${href}">${name}</a>`}
        ${path === null ? html`<span class="list-more">unusual name: clone to read it</span>` : null}
      </td>
      <td class="list-end">
        ${sizeBytes === null || kind !== 'file' ? kindOf(kind) : sizeOf(sizeBytes)}
      </td>
    </tr>
  `
}

const kindOf = (kind: FolderItem['kind']): Value => KINDS[kind] ?? 'unknown'
