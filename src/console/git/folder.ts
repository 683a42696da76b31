import { type Html, html, type Value } from '../../lib/http/html.ts'
import type { RepositoryId, RepositoryPath } from '../../lib/names.ts'
import type { Folder, FolderItem, Forge, Tips } from '../../lib/ports/forge.ts'
import type { Commit, GitFailure, PullRequest } from '../../lib/ports/git-host.ts'
import { ok, type Result } from '../../lib/result.ts'
import { counted } from '../ui/words.ts'
import { textIn } from './file.ts'
import { fileLink, folderLink } from './links.ts'
import { markdown } from './markdown/index.ts'
import { card, empty, icon, type IconName, plainText, sizeOf } from './parts.ts'
import { lastCommit, parentOf, placeHeading, refPicker } from './place-head.ts'
import type { Place } from './place.ts'

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

const README = /^readme\.(?:md|markdown)$/i
const README_BYTES_MAX = 128 * 1024

export interface Readme {
  readonly path: RepositoryPath
  readonly text: string
}

const isReadme = ({ kind, rawName, sizeBytes }: FolderItem): boolean =>
  kind === 'file' && README.test(rawName) && sizeBytes !== null && sizeBytes <= README_BYTES_MAX

/** The README of a folder, if it has one that is text and not too large. */
async function readReadme(
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

/** Facts for the page of a folder. */
export interface FolderFacts {
  readonly place: Place
  readonly folder: Folder
  readonly tips: Tips
  readonly lastCommit: Commit | undefined
  /** `null`: the folder has none, or it is no text. */
  readonly readme: Readme | null
}

export interface Front extends FolderFacts {
  readonly description: string
  readonly team: string | null
  readonly openPulls: readonly PullRequest[]
}

type Reads = Pick<Forge, 'browse' | 'readFiles'>

export async function readFolderFacts(
  forge: Reads,
  place: Place,
): Promise<Result<FolderFacts, GitFailure>> {
  const { id, commit, path } = place
  const [folder, tips, commits] = await Promise.all([
    forge.browse.folder(id, { commit, path }),
    forge.browse.tips(id),
    forge.browse.history(id, { of: commit, ...(path !== null && { path }) }),
  ])
  if (!folder.ok) return folder
  if (!tips.ok) return tips
  if (!commits.ok) return commits
  const readme = await readReadme(forge, place, folder.value)
  if (!readme.ok) return readme
  const [lastCommit] = commits.value.commits
  return ok({ place, folder: folder.value, tips: tips.value, lastCommit, readme: readme.value })
}

/** The front page of a repository: the top folder of its default branch. */
export async function readFront(
  forge: Reads & Pick<Forge, 'head' | 'findPullRequests'>,
  id: RepositoryId,
): Promise<Result<Front, GitFailure>> {
  const head = await forge.head(id)
  if (!head.ok) return head
  const place = { id, ref: head.value.branch, commit: head.value.commit, path: null }
  const [facts, about, pulls] = await Promise.all([
    readFolderFacts(forge, place),
    forge.browse.about(id),
    forge.findPullRequests(id, { state: 'open' }),
  ])
  if (!facts.ok) return facts
  if (!about.ok) return about
  return pulls.ok ? ok({ ...facts.value, ...about.value, openPulls: pulls.value }) : pulls
}

/** A folder of a branch or a commit. */
export const folderMain = ({ place, folder, tips, readme, ...facts }: FolderFacts): Html => html`
  <div class="stack">
    <div class="bar">
      ${refPicker(place, tips.tips, (ref) => folderLink(place.id, ref, place.path))}
      ${placeHeading(place)}
    </div>
    <section class="card" aria-label="Files">
      ${lastCommit(place, facts.lastCommit)}${folderTable(place, folder)}
    </section>
    ${readme === null ? null : readmeCard(place, readme)}
  </div>
`
