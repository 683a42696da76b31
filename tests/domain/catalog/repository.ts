import type { KeptFiles } from '#src/lib/domain/catalog/kept-files.ts'
import type { CatalogSource } from '#src/lib/domain/catalog/load.ts'
import { parseFile } from '#src/lib/domain/catalog/parse-file.ts'
import type { CatalogParser } from '#src/lib/domain/catalog/parser.ts'
import { ObjectId, type RepositoryPath } from '#src/lib/names.ts'
import type { FileContent, GitFailure, ListedFile, SkippedFile } from '#src/lib/ports/git-host.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { branch, path, repositoryId } from '#tests/contracts/git-host.ts'

export type Files = Readonly<Record<string, string>>
export type Call = 'head' | 'listFiles' | 'readFiles'

const sha1 = (content: string | Uint8Array): ObjectId => {
  const id = ObjectId.parse(new Bun.CryptoHasher('sha1').update(content).digest('hex'))
  if (id === undefined) throw new Error('not an object id')
  return id
}

export const DOWN: GitFailure = { kind: 'git_host_unreachable' }

/** A gitops repository in memory, of which one can see what was read, and which can fail and lie. */
export function createRepository(files: Files = {}) {
  const commits = new Map<ObjectId, Files>()
  const state = {
    head: sha1(''),
    commit(content: Files): ObjectId {
      state.head = sha1(JSON.stringify([commits.size, content]))
      commits.set(state.head, content)
      return state.head
    },
    /** Blobs whose content was asked for. */
    read: [] as ObjectId[],
    calls: [] as Call[],
    failing: new Set<Call>(),
    failWith: DOWN,
    skipped: [] as SkippedFile[],
    /** What becomes of the contents on their way. */
    deliver: (contents: readonly FileContent[]): readonly Result<FileContent, GitFailure>[] =>
      contents.map((content) => ok(content)),
    id: repositoryId('acme', 'gitops'),
  }
  const gitHost: CatalogSource['gitHost'] = {
    async head() {
      state.calls.push('head')
      if (state.failing.has('head')) return err(state.failWith)
      return ok({ branch: branch('main'), commit: state.head })
    },
    async listFiles(_, { commit, directory = '' }) {
      state.calls.push('listFiles')
      if (state.failing.has('listFiles')) return err(state.failWith)
      const inside = Object.entries(commits.get(commit) ?? {})
        .filter(([name]) => name.startsWith(`${directory}/`))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
      const listed = inside.map(([name, content]): ListedFile => ({
        path: path(name),
        blob: sha1(content),
        executable: false,
        sizeBytes: Buffer.byteLength(content),
      }))
      const tree = inside.length === 0 ? null : sha1(JSON.stringify([inside, state.skipped]))
      return ok({ tree, files: listed, skipped: state.skipped })
    },
    async *readFiles(_, commit, wanted, maxBytes) {
      state.calls.push('readFiles')
      if (state.failing.has('readFiles')) {
        yield err(state.failWith)
        return
      }
      const contents = wanted.map((file) => {
        const bytes = new TextEncoder().encode(commits.get(commit)?.[file.path])
        return { path: file.path, blob: sha1(bytes), bytes: bytes.length > maxBytes ? null : bytes }
      })
      state.read.push(...contents.map(({ blob }) => blob))
      yield* state.deliver(contents)
    },
  }
  state.commit(files)
  return Object.assign(state, { gitHost })
}

const CATALOG: RepositoryPath = path('catalog')

/** Begins with nothing, and keeps nothing. */
const keptNowhere: KeptFiles = {
  recall: async () => new Map(),
  restore: async () => undefined,
  remember: () => undefined,
  confirm: () => undefined,
}

export const LIFECYCLES = ['experimental', 'staging', 'production']

/** `parseFile` with these lifecycles. */
export const parse = (bytes: Uint8Array) => parseFile(bytes, LIFECYCLES)

/** Parses at once and on this thread: what is tested with it is not the thread. */
export const directParser: CatalogParser = {
  warm: () => undefined,
  parse: async (sources) => sources.map(parse),
  close: () => undefined,
}

/** A catalog of this repository alone. */
export const sourceOf = ({
  gitHost,
  id,
}: Pick<ReturnType<typeof createRepository>, 'gitHost' | 'id'>): CatalogSource => ({
  gitHost,
  repository: id,
  directory: CATALOG,
  parser: directParser,
  kept: keptNowhere,
})
