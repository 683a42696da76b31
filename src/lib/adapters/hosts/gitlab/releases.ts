import { type Static, Type } from 'typebox'
import { type RepositoryId, Sha256 } from '../../../names.ts'
import type { GitAnswer, GitResult, Release, Releases } from '../../../ports/git-host.ts'
import { ok } from '../../../result.ts'
import { decodePercent } from '../../../text/percent.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import { apiPath } from '../hosted/api/client.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { notFound } from '../hosted/known-repositories.ts'
import { readAll } from '../hosted/releases.ts'
import { API, projectPath, segment } from './project.ts'

const PER_PAGE = 100
/** Newest releases whose files are asked for: one request each. Older ones have no assets. */
const RELEASES_WITH_FILES_MAX = 100

const ReleaseItem = Type.Object({
  tag_name: Type.String(),
  name: Maybe(Type.String()),
  description: Maybe(Type.String()),
  released_at: Maybe(Type.String()),
  /** The time of the release is still to come. */
  upcoming_release: Maybe(Type.Boolean()),
  assets: Maybe(Type.Object({ links: Maybe(Type.Array(Type.Object({ url: Type.String() }))) })),
})
const Package = Type.Object({ id: Type.Integer(), name: Type.String(), version: Type.String() })
const PackageFile = Type.Object({
  id: Type.Integer(),
  file_name: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  file_sha256: Maybe(Type.String()),
})
const readReleases = answerReader('releases', Type.Array(ReleaseItem))
const readPackages = answerReader('packages', Type.Array(Package))
const readFiles = answerReader('files of a package', Type.Array(PackageFile))

/** A pre-release is known by its version alone. */
const PRERELEASE = /\d+\.\d+\.\d+-[0-9A-Za-z.-]+$/

/** A file of a generic package, by the names in its URL. */
interface Located {
  readonly name: string
  readonly version: string
  readonly file: string
}

/**
 * Releases, whose assets are links. Those to generic packages of the project count: of these GitLab tells the size and the digest, and
 * serves them to a token; `docs/decisions/gitlab.md`. GitLab's own links begin with its `external_url`, which may be another than `url`.
 */
export function createReleases(
  { client, known }: Pick<Hosted, 'client' | 'known'>,
  url: string,
): Releases {
  const list = <Item>(
    repository: RepositoryId,
    path: string,
    read: (answer: { json: unknown }) => GitResult<readonly Item[]>,
    query: Readonly<Record<string, string>> = {},
  ) => {
    const place = [projectPath(repository), path] as const
    return readAll({ client, known }, repository, place, { per_page: PER_PAGE, ...query }, read)
  }

  /** Files of the packages that links name, by `fileKeyOf`. Of files with one name the latest is served. */
  async function filesOf(
    repository: RepositoryId,
    links: readonly Located[],
  ): GitAnswer<ReadonlyMap<string, Static<typeof PackageFile>>> {
    const files = new Map<string, Static<typeof PackageFile>>()
    if (links.length === 0) return ok(files)
    const query = { package_type: 'generic' }
    const packages = await list(repository, '/packages', readPackages, query)
    if (!packages.ok) return packages
    const wanted = new Set(links.map(keyOf))
    const reads = packages.value
      .filter((item) => wanted.has(keyOf(item)))
      .map(async (item) => {
        const path = apiPath`/packages/${item.id}/package_files`
        return { item, read: await list(repository, path, readFiles) }
      })
    for (const { item, read } of await Promise.all(reads)) {
      if (!read.ok) return read
      for (const file of read.value.toSorted((one, other) => one.id - other.id)) {
        files.set(fileKeyOf({ ...item, file: file.file_name }), file)
      }
    }
    return ok(files)
  }

  return {
    async list(repository) {
      const facts = await known.recent(repository)
      if (!facts.ok) return facts
      const read = await list(repository, '/releases', readReleases)
      if (!read.ok) return read
      const { html_url: page, full_name: fullName, id } = facts.value
      const root = page.endsWith(`/${fullName}`) ? page.slice(0, -fullName.length - 1) : url
      const roots = [root, url].flatMap((base) =>
        [String(id), segment(fullName)].map(
          (project) => `${base}${API}/projects/${project}/packages/generic/`,
        ),
      )
      const items = read.value.toSorted(newestFirst)
      const links = items
        .slice(0, RELEASES_WITH_FILES_MAX)
        .map(({ assets }) => (assets?.links ?? []).flatMap((link) => locate(link.url, roots) ?? []))
      const files = await filesOf(repository, links.flat())
      if (!files.ok) return files
      return ok(items.map((item, index) => toRelease(item, links[index] ?? [], files.value)))
    },
    async openAsset(repository, { id }, signal) {
      const complete = await known.requireComplete(repository)
      if (!complete.ok) return complete
      const located = decode(id)
      if (located === null) return notFound('asset')
      const path = apiPath`/packages/generic/${located.name}/${located.version}/${located.file}`
      return client.openAsset(`${projectPath(repository)}${path}`, signal)
    },
  }
}

const keyOf = ({ name, version }: Pick<Located, 'name' | 'version'>): string => `${name}/${version}`

const fileKeyOf = (located: Located): string => `${keyOf(located)}/${located.file}`

/** The id of an asset, whose names the host has accepted: half a surrogate pair throws. */
const idOf = ({ name, version, file }: Located): string =>
  [name, version, file].map(segment).join('/')

/** `null`: no link to a generic package of this project. */
function locate(link: string, roots: readonly string[]): Located | null {
  const root = roots.find((each) => link.startsWith(each))
  return root === undefined ? null : decode(link.slice(root.length).replace(/[?#].*$/, ''))
}

function decode(path: string): Located | null {
  const segments = path.split('/').map((each) => decodePercent(each) ?? '')
  const [name = '', version = '', file = '', ...more] = segments
  const isUsable = more.length === 0 && ![name, version, file].some((each) => UNUSABLE.test(each))
  return isUsable ? { name, version, file } : null
}

/** Names that a URL would resolve, and those that contain a slash. */
const UNUSABLE = /^\.{0,2}$|\//

/** `null` for one that is still to come, which is a draft here. */
function publishedAt(item: Static<typeof ReleaseItem>): number | null {
  const time = Date.parse(item.released_at ?? '')
  return item.upcoming_release === true || Number.isNaN(time) ? null : time
}

const newestFirst = (one: Static<typeof ReleaseItem>, other: Static<typeof ReleaseItem>): number =>
  (publishedAt(other) ?? Number.MAX_VALUE) - (publishedAt(one) ?? Number.MAX_VALUE)

const toRelease = (
  item: Static<typeof ReleaseItem>,
  links: readonly Located[],
  files: ReadonlyMap<string, Static<typeof PackageFile>>,
): Release => ({
  tag: item.tag_name,
  name: item.name ?? '',
  notes: item.description ?? '',
  draft: publishedAt(item) === null,
  prerelease: PRERELEASE.test(item.tag_name),
  publishedAt: publishedAt(item),
  assets: links.flatMap((link) => {
    const file = files.get(fileKeyOf(link))
    if (file === undefined) return []
    const sha256 = Sha256.parse(file.file_sha256) ?? null
    return { id: idOf(link), filename: link.file, sizeBytes: file.size, sha256 }
  }),
})
