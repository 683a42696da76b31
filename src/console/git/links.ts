import type { ObjectId, RepositoryId, RepositoryPath } from '../../lib/names.ts'

/** Addresses of the pages of a repository. `ref` is a branch, a commit, or `HEAD` for the default branch. */

/** A branch or a path: its slashes stay. */
const encoded = (text: string): string => text.split('/').map(encodeURIComponent).join('/')

const below = (ref: string, path: RepositoryPath | null): string =>
  path === null ? encoded(ref) : `${encoded(ref)}/${encoded(path)}`

export const repositoryLink = ({ owner, name }: RepositoryId): string => `/git/${owner}/${name}`

export const folderLink = (id: RepositoryId, ref: string, path: RepositoryPath | null): string =>
  `${repositoryLink(id)}/tree/${below(ref, path)}`

/** `#L12` behind it leads to a line. */
export const fileLink = (id: RepositoryId, ref: string, path: RepositoryPath): string =>
  `${repositoryLink(id)}/blob/${below(ref, path)}`

/** The bytes alone. */
export const rawLink = (id: RepositoryId, ref: string, path: RepositoryPath): string =>
  `${repositoryLink(id)}/raw/${below(ref, path)}`

export const commitsLink = (id: RepositoryId, ref: string, path: RepositoryPath | null): string =>
  `${repositoryLink(id)}/commits/${below(ref, path)}`

export const commitLink = (id: RepositoryId, commit: ObjectId): string =>
  `${repositoryLink(id)}/commit/${commit}`

export const pullLink = (id: RepositoryId, number: number): string =>
  `${repositoryLink(id)}/pulls/${number}`

export const newPullLink = (id: RepositoryId, query: Readonly<Record<string, string>>): string =>
  `${repositoryLink(id)}/pulls/new?${new URLSearchParams(query).toString()}`

export const tokensLink = (id: RepositoryId): string => `${repositoryLink(id)}/tokens`
