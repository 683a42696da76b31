import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { Commit, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { listHistory } from '../../../../git/log.ts'
import { readSetting } from '../repository-settings.ts'
import { compareCommits, readChanges } from './changes.ts'
import { findItem, readFolder } from './folder.ts'
import type { About, Browse } from './index.ts'
import { readTips } from './tips.ts'

type Work<Args extends readonly unknown[], Value> = (
  repository: { readonly directory: string },
  ...args: Args
) => Promise<Result<Value, GitFailure>>

/** `inRepository` makes a method of the host from its work on a repository. */
type InRepository = <Args extends readonly unknown[], Value>(
  work: Work<Args, Value>,
) => (id: RepositoryId, ...args: Args) => Promise<Result<Value, GitFailure>>

export const createBrowse = (inRepository: InRepository): Browse => ({
  about: inRepository(({ directory }) => readAbout(directory)),
  tips: inRepository(({ directory }) => readTips(directory)),
  item: inRepository(({ directory }, at) => findItem(directory, at)),
  folder: inRepository(({ directory }, at) => readFolder(directory, at)),
  history: inRepository(({ directory }, range) => listHistory(directory, range)),
  commit: inRepository(({ directory }, id) => readCommit(directory, id)),
  changes: inRepository(({ directory }, range) => readChanges(directory, range)),
  comparison: inRepository(({ directory }, range) => compareCommits(directory, range)),
})

async function readAbout(directory: string): Promise<Result<About, GitFailure>> {
  const [description, team] = await Promise.all([
    readSetting(directory, 'description'),
    readSetting(directory, 'team'),
  ])
  if (!description.ok) return description
  return team.ok ? ok({ description: description.value ?? '', team: team.value }) : team
}

async function readCommit(directory: string, id: ObjectId): Promise<Result<Commit, GitFailure>> {
  const found = await listHistory(directory, { of: id })
  if (!found.ok) return found
  const [commit] = found.value.commits
  return commit?.id === id ? ok(commit) : err({ kind: 'git_not_found', what: 'commit' })
}
