import { type Static, Type } from 'typebox'
import { type RepositoryId, Sha256 } from '../../../names.ts'
import type {
  GitAnswer,
  GitResult,
  Release,
  ReleaseAsset,
  Releases,
} from '../../../ports/git-host.ts'
import { ok } from '../../../result.ts'
import { answerReader, Maybe } from '../hosted/api/answer-reader.ts'
import { openAssetWith } from '../hosted/api/asset.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import type { Credentials } from '../hosted/api/credentials.ts'
import { type KnownRepositories, notFound } from '../hosted/known-repositories.ts'
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

/** A file of a generic package, by the names in its URL. */
const FILE = /^([^/]+)\/([^/]+)\/([^/]+)$/
/** A pre-release is known by its version alone. */
const PRERELEASE = /\d+\.\d+\.\d+-[0-9A-Za-z.-]+$/

interface ReleaseMeans {
  readonly client: Pick<HostClient, 'readPages'>
  readonly known: KnownRepositories
  /** Where Portico reaches the host, without a slash at its end. GitLab's own links begin with its `external_url`, which may be another. */
  readonly url: string
  readonly credentials: Credentials
  readonly authority: string | null
}

interface Located {
  readonly name: string
  readonly version: string
  readonly file: string
}

/**
 * Releases, whose assets are links. Those to generic packages of the project count: of these GitLab tells the size and the digest, and
 * serves them to a token; `docs/decisions/gitlab.md`.
 */
export function createReleases(means: ReleaseMeans): Releases {
  const { known, url, credentials, authority } = means

  const list = <Item>(
    repository: RepositoryId,
    path: string,
    read: (answer: { json: unknown }) => GitResult<readonly Item[]>,
    query: Readonly<Record<string, string>> = {},
  ) =>
    readAll(
      means,
      repository,
      [projectPath(repository), path],
      { per_page: PER_PAGE, ...query },
      read,
    )

  /** The files that links name, in packages by name and version. */
  async function assetsOf(
    repository: RepositoryId,
    packages: ReadonlyMap<string, number>,
    links: readonly Located[],
  ): GitAnswer<readonly ReleaseAsset[]> {
    const assets: ReleaseAsset[] = []
    for (const key of new Set(links.map(keyOf))) {
      const id = packages.get(key)
      if (id === undefined) continue
      const path = apiPath`/packages/${id}/package_files`
      const files = await list(repository, path, readFiles)
      if (!files.ok) return files
      // Of files with one name the latest is served.
      const byName = new Map(
        files.value.toSorted((a, b) => a.id - b.id).map((f) => [f.file_name, f]),
      )
      for (const link of links.filter((each) => keyOf(each) === key)) {
        const { size: sizeBytes, file_sha256: digest } = byName.get(link.file) ?? {}
        if (sizeBytes === undefined) continue
        const sha256 = Sha256.parse(digest) ?? null
        assets.push({ id: idOf(link), filename: link.file, sizeBytes, sha256 })
      }
    }
    return ok(assets)
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
      const links = items.map((item, index) =>
        (index < RELEASES_WITH_FILES_MAX ? (item.assets?.links ?? []) : []).flatMap(
          (link) => locate(link.url, roots) ?? [],
        ),
      )
      const packages = links.some((own) => own.length > 0)
        ? await list(repository, '/packages', readPackages, { package_type: 'generic' })
        : ok([])
      if (!packages.ok) return packages
      const ids = new Map(packages.value.map((item) => [keyOf(item), item.id]))
      const assets = await Promise.all(links.map((own) => assetsOf(repository, ids, own)))
      const releases: Release[] = []
      for (const [index, own] of assets.entries()) {
        const item = items[index]
        if (!own.ok) return own
        if (item !== undefined) releases.push(toRelease(item, own.value))
      }
      return ok(releases)
    },

    async openAsset(repository, { id }, signal) {
      const complete = await known.requireComplete(repository)
      if (!complete.ok) return complete
      const located = decode(id)
      if (located === null) return notFound('asset')
      const path = apiPath`/packages/generic/${located.name}/${located.version}/${located.file}`
      const at = new URL(`${url}${API}${projectPath(repository)}${path}`)
      return openAssetWith(credentials, { url: at, authority }, signal)
    },
  }
}

const keyOf = ({ name, version }: Pick<Located, 'name' | 'version'>): string => `${name}/${version}`

const idOf = ({ name, version, file }: Located): string =>
  [name, version, file].map(segment).join('/')

/** `null`: no link to a generic package of this project. */
function locate(link: string, roots: readonly string[]): Located | null {
  const root = roots.find((each) => link.startsWith(each))
  return root === undefined ? null : decode(link.slice(root.length).replace(/[?#].*$/, ''))
}

function decode(path: string): Located | null {
  try {
    const [, ...segments] = (FILE.exec(path) ?? []).map(decodeURIComponent)
    const [name, version, file] = segments
    const isUsable = segments.every((each) => !/^\.{0,2}$|\//.test(each))
    if (name === undefined || version === undefined || file === undefined || !isUsable) return null
    return { name, version, file }
  } catch {
    return null
  }
}

/** `null` for one that is still to come, which is a draft here. */
function publishedAt(item: Static<typeof ReleaseItem>): number | null {
  const time = Date.parse(item.released_at ?? '')
  return item.upcoming_release === true || Number.isNaN(time) ? null : time
}

const newestFirst = (one: Static<typeof ReleaseItem>, other: Static<typeof ReleaseItem>): number =>
  (publishedAt(other) ?? Number.MAX_VALUE) - (publishedAt(one) ?? Number.MAX_VALUE)

const toRelease = (item: Static<typeof ReleaseItem>, assets: readonly ReleaseAsset[]): Release => ({
  tag: item.tag_name,
  name: item.name ?? '',
  notes: item.description ?? '',
  draft: publishedAt(item) === null,
  prerelease: PRERELEASE.test(item.tag_name),
  publishedAt: publishedAt(item),
  assets,
})
