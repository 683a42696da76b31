import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type {
  DirectoryAtCommit,
  GitFailure,
  GitHost,
  ListedFile,
  WrittenFile,
} from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'

export type Texts = ReadonlyMap<RepositoryPath, string>

export interface TextSource {
  readonly gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>
  readonly repository: RepositoryId
}

/** Contents of text files at a commit. A larger file, or one that is not UTF-8, counts as missing. */
export async function readTexts(
  { gitHost, repository }: TextSource,
  commit: ObjectId,
  files: Parameters<GitHost['readFiles']>[2],
  maxBytes: number,
): Promise<Result<Texts, GitFailure>> {
  const texts = new Map<RepositoryPath, string>()
  if (files.length === 0) return ok(texts)
  for await (const read of gitHost.readFiles(repository, commit, files, maxBytes)) {
    if (!read.ok) return read
    const { path, bytes } = read.value
    const text = bytes === null ? undefined : decodeUtf8Exactly(bytes)
    if (text !== undefined) texts.set(path, text)
  }
  return ok(texts)
}

/** Files of one overlay. */
const FOLDER_FILES_MAX = 50

type Choice = (
  files: readonly ListedFile[],
  paths: readonly RepositoryPath[],
) => readonly ListedFile[]

/** Reader of the texts of chosen files in and below the folder of `paths`, at a commit, or in the tree of a merge with it. */
const textsOf =
  (choose: Choice) =>
  async (
    source: TextSource,
    at: Pick<DirectoryAtCommit, 'commit' | 'tree'>,
    paths: readonly RepositoryPath[],
    maxBytes: number,
  ): Promise<Result<Texts, GitFailure>> => {
    const directory = folderOf(paths)
    const listed = await source.gitHost.listFiles(source.repository, { ...at, directory })
    if (!listed.ok) return listed
    return readTexts(source, at.commit, choose(listed.value.files, paths), maxBytes)
  }

export const folderOf = ([path = '']: readonly string[]): RepositoryPath =>
  RepositoryPath.of(path.replace(/\/[^/]+$/, ''))

/** Texts of files of one folder, and of the others in and below it as far as there is room, at a commit. */
export const folderTexts = textsOf((files, paths) => {
  const rank = (path: RepositoryPath) => (paths.includes(path) ? 0 : path.split('/').length)
  return files.toSorted((a, b) => rank(a.path) - rank(b.path)).slice(0, FOLDER_FILES_MAX)
})

/** Texts of files of one folder at a commit. Missing files are left out. */
export const currentTexts = textsOf((files, paths) =>
  files.filter(({ path }) => paths.includes(path)),
)

/** The files that differ from these texts. */
export const changedIn = (texts: Texts, files: readonly WrittenFile[]): readonly WrittenFile[] =>
  files.filter(({ path, bytes }) => texts.get(path) !== decodeUtf8Exactly(bytes))

/** Lines of a text that may differ from another. To find the fewest changes among thousands takes minutes, in which nobody is answered. */
export const EDITS_MAX = 500
