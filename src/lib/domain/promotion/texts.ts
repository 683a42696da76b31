import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitFailure, GitHost, ListedFile, WrittenFile } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { decodeUtf8Exactly } from '../../text/utf8.ts'

export type Texts = ReadonlyMap<RepositoryPath, string>

/** Contents of text files at a commit. A larger file, or one that is not UTF-8, counts as missing. */
export async function readTexts(
  gitHost: Pick<GitHost, 'readFiles'>,
  repository: RepositoryId,
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

/** Reader of the texts of chosen files in and below the folder of `paths`, at a commit, or in the tree of a merge with it. */
const textsOf =
  (
    choose: (
      files: readonly ListedFile[],
      paths: readonly RepositoryPath[],
    ) => readonly ListedFile[],
  ) =>
  async (
    gitHost: Pick<GitHost, 'listFiles' | 'readFiles'>,
    repository: RepositoryId,
    commit: ObjectId,
    paths: readonly RepositoryPath[],
    maxBytes: number,
    merged?: ObjectId,
  ): Promise<Result<Texts, GitFailure>> => {
    const at = { commit, ...(merged && { tree: merged }), directory: folderOf(paths) }
    const listed = await gitHost.listFiles(repository, at)
    if (!listed.ok) return listed
    return readTexts(gitHost, repository, commit, choose(listed.value.files, paths), maxBytes)
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
