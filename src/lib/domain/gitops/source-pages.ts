import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { GitHost } from '../../ports/git-host.ts'

/** URLs of the pages of the git host that show a repository. */
export interface SourcePages {
  commit(commit: ObjectId): string
  /** `null`: no page has such a path. */
  file(commit: ObjectId, path: string, line: number | null): string | null
}

export const createSourcePages = (
  { pageUrl }: Pick<GitHost, 'pageUrl'>,
  repository: RepositoryId,
): SourcePages => ({
  commit: (commit) => pageUrl(repository, { kind: 'commit', commit }),
  file(commit, text, line) {
    const path = RepositoryPath.parse(text)
    return path === undefined ? null : pageUrl(repository, { kind: 'file', commit, path, line })
  },
})
