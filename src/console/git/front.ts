import type { Folder, Tips } from '../../lib/ports/forge.ts'
import type { Forge } from '../../lib/ports/forge.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Commit, GitFailure, PullRequest } from '../../lib/ports/git-host.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { Place } from './place.ts'
import { readReadme, type Readme } from './readme.ts'

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
