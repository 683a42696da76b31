import { createTtlCache } from '../../concurrency/ttl-cache.ts'
import { type ObjectId, parseRepositoryId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { textOfMarkdown } from '../../text/markdown.ts'
import { ownCopy } from '../../text/own-copy.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import { repositoryOf } from './entity-repository.ts'
import type { CatalogEntity } from './snapshot.ts'

/** A page of an entity's repository. */
export interface DocPage {
  readonly path: RepositoryPath
  /** Its first heading, or its path without one. */
  readonly title: string
  readonly sizeBytes: number
}

/** A page with a text, at the first line that has it. */
export interface FoundDoc extends DocPage {
  /** From 1. */
  readonly line: number
  readonly excerpt: string
}

export interface DocFile {
  readonly path: RepositoryPath
  readonly commit: ObjectId
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type DocsFailure =
  | GitFailure
  /** The entity names no repository that may be shown, or the git host has none of that name. */
  | { readonly kind: 'repository_not_found' }
  /** No page or picture of this path, or one that is too large. */
  | { readonly kind: 'doc_not_found' }

interface DocsOfHead {
  readonly commit: ObjectId
  readonly pages: readonly DocPage[]
}

const README = RepositoryPath.of('README.md')
const DOCS = RepositoryPath.of('docs')
const PAGES_MAX = 500
const FOUND_MAX = 20
const EXCERPT_CHARACTERS_MAX = 160
/** Characters of an excerpt before the text that was found. */
const BEFORE_CHARACTERS = 16
/** So much of a heading is read, and of a line before and after the text that was found: either may have a megabyte. */
const WINDOW_CHARACTERS = 500
const FILES_MAX = 5_000
const PAGE_BYTES_MAX = 1024 * 1024
const TTL_MS = 30_000
/** Pages follow a push within seconds, and a repository that is gone is asked for no more often. */
const TIMES = { ttlMs: TTL_MS, maxStaleMs: 0, refreshAfterMs: TTL_MS, retryAfterMs: 5_000 }
const PAGE = /\.md$/i
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i

export type EntityDocs = ReturnType<typeof createEntityDocs>

/**
 * The README and the folder `docs` of the repository of an entity. Whoever writes the catalog names the repository, and everybody who is
 * signed in reads its pages with the portal's own access: so it must belong to the organisation of the gitops repository, and nothing
 * else of it is shown.
 */
export function createEntityDocs({
  gitHost,
  gitops,
  clock,
}: {
  readonly gitHost: Pick<GitHost, 'head' | 'listFiles' | 'readFiles' | 'searchFiles' | 'pageUrl'>
  readonly gitops: RepositoryId
  readonly clock: Clock
}) {
  async function load(repository: RepositoryId): Promise<Result<DocsOfHead, DocsFailure>> {
    const head = await gitHost.head(repository)
    if (!head.ok) return err(head.error.kind === 'git_not_found' ? UNKNOWN : head.error)
    const { commit } = head.value
    const listed = await gitHost.listFiles(repository, {
      commit,
      directory: DOCS,
      filesMax: FILES_MAX,
    })
    if (!listed.ok) return listed
    const paths = listed.value.files.filter(({ path }) => PAGE.test(path)).slice(0, PAGES_MAX)
    const readme = await readOne(repository, commit, README)
    if (!readme.ok && readme.error.kind !== 'doc_not_found') return readme
    const pages: DocPage[] = []
    for await (const read of gitHost.readFiles(repository, commit, paths, PAGE_BYTES_MAX)) {
      if (!read.ok) return read
      const { path, bytes } = read.value
      if (bytes !== null) pages.push(pageOf(path, bytes))
    }
    pages.sort((one, other) => one.path.localeCompare(other.path, 'en'))
    return ok({
      commit,
      pages: readme.ok ? [pageOf(README, readme.value.bytes), ...pages] : pages,
    })
  }

  async function readOne(
    repository: RepositoryId,
    commit: ObjectId,
    path: RepositoryPath,
  ): Promise<Result<DocFile, DocsFailure>> {
    for await (const read of gitHost.readFiles(repository, commit, [{ path }], PAGE_BYTES_MAX)) {
      if (!read.ok) return err(read.error.kind === 'git_not_found' ? NO_PAGE : read.error)
      const { bytes } = read.value
      if (bytes !== null) return ok({ path, commit, bytes: new Uint8Array(bytes) })
    }
    return err(NO_PAGE)
  }

  const heads = createTtlCache<string, DocsOfHead, DocsFailure>({
    ...TIMES,
    clock,
    isOutage: () => false,
    load: (name) => {
      const repository = parseRepositoryId(name)
      return repository === undefined ? Promise.resolve(err(UNKNOWN)) : load(repository)
    },
  })

  async function headOf(
    entity: CatalogEntity,
  ): Promise<Result<DocsOfHead & { readonly repository: RepositoryId }, DocsFailure>> {
    const repository = repositoryOf(entity, gitops)
    if (repository === null) return err(UNKNOWN)
    const read = await heads.read(`${repository.owner}/${repository.name}`)
    return read.ok ? ok({ ...read.value.value, repository }) : read
  }

  return {
    /** The page of the repository at the git host; `null` for an entity without one. */
    repositoryUrl(entity: CatalogEntity): string | null {
      const repository = repositoryOf(entity, gitops)
      return repository === null ? null : gitHost.pageUrl(repository, { kind: 'repository' })
    },

    /** `README.md` first, then those of `docs` by path. At most 500, each of up to 1 MiB. */
    async list(entity: CatalogEntity): Promise<Result<readonly DocPage[], DocsFailure>> {
      const head = await headOf(entity)
      return head.ok ? ok(head.value.pages) : head
    },

    /** The listed pages that have a text of one line, in the same order, at most 20. */
    async search(
      entity: CatalogEntity,
      text: string,
    ): Promise<Result<readonly FoundDoc[], DocsFailure>> {
      const head = await headOf(entity)
      if (!head.ok) return head
      const { repository, commit, pages } = head.value
      const paths = pages.map(({ path }) => path)
      const found = await gitHost.searchFiles(repository, { commit, paths, text })
      if (!found.ok) return found
      const byPath = new Map(found.value.map((line) => [line.path, line]))
      const lines = pages.flatMap((page) => {
        const line = byPath.get(page.path)
        return line === undefined ? [] : [{ page, line }]
      })
      return ok(
        lines.slice(0, FOUND_MAX).map(({ page, line }) => ({
          ...page,
          line: line.line,
          excerpt: excerptOf(line.text, text),
        })),
      )
    },

    /** A page, or a picture that pages refer to, as it was when the pages were listed. */
    async read(
      entity: CatalogEntity,
      text: string,
    ): Promise<Result<DocFile & { readonly url: string }, DocsFailure>> {
      const path = RepositoryPath.parse(text)
      const isShown =
        path === README || (path?.startsWith('docs/') && (PAGE.test(path) || PICTURE.test(path)))
      if (path === undefined || !isShown) return err(NO_PAGE)
      const head = await headOf(entity)
      if (!head.ok) return head
      const { repository, commit } = head.value
      const file = await readOne(repository, commit, path)
      if (!file.ok) return file
      const url = gitHost.pageUrl(repository, { kind: 'file', commit, path, line: null })
      return ok({ ...file.value, url })
    },
  }
}

const UNKNOWN = { kind: 'repository_not_found' } as const
const NO_PAGE = { kind: 'doc_not_found' } as const

/** The part of a line around a text, without the marks of Markdown. */
function excerptOf(line: string, text: string): string {
  const at = indexIn(line, text)
  const window = line.slice(Math.max(0, at - WINDOW_CHARACTERS), at + WINDOW_CHARACTERS)
  const marked = line.trimStart().startsWith('|') ? cellsOf(window) : window.trim()
  const plain = textOfMarkdown(marked).trim()
  return around(plain === '' ? window : plain, text)
}

/** A row of a table, which is none without its head. */
const cellsOf = (row: string): string =>
  row
    .replaceAll(/^\s*\||\|\s*$/g, '')
    .trim()
    .replaceAll(/\s*\|\s*/g, ' · ')

/** Begins with a word and has no half characters. */
function around(line: string, text: string): string {
  const at = indexIn(line, text)
  const near = line.slice(Math.max(0, at - BEFORE_CHARACTERS), at)
  const before = near.length < at ? near.replace(/^\S*\s+/, '') : near
  const excerpt = (before + line.slice(at)).slice(0, EXCERPT_CHARACTERS_MAX)
  return excerpt.toWellFormed().trim()
}

/** The index at which a text begins; 0 where it is part of what is not shown, such as the address of a link. */
const indexIn = (line: string, text: string): number =>
  Math.max(0, withSmallLetters(line).indexOf(withSmallLetters(text)))

/** Those of ASCII, which match in any case: other letters may be more characters when they are small. */
const withSmallLetters = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

const HEADING = /^#\s+(\S.*)$/m
const TITLE_MAX_CHARACTERS = 200

/** The title in a heading, without the marks of Markdown; the heading as it is when it has no text, such as a picture alone. */
function titleOf(line: string): string {
  const heading = line.slice(0, WINDOW_CHARACTERS).trim()
  return ownCopy((textOfMarkdown(`# ${heading}`).trim() || heading).slice(0, TITLE_MAX_CHARACTERS))
}

/** The first heading among the first 10,000 characters of a page; `undefined` without one. */
export function titleIn(text: string): string | undefined {
  const [, heading] = HEADING.exec(text.slice(0, 10_000)) ?? []
  return heading === undefined ? undefined : titleOf(heading)
}

const pageOf = (path: RepositoryPath, bytes: Uint8Array): DocPage => ({
  path,
  title: titleIn(decodeUtf8(bytes) ?? '') ?? path,
  sizeBytes: bytes.byteLength,
})
