import type { LocalGitHost } from '../../lib/adapters/hosts/forge/index.ts'
import { BranchName, type RepositoryId, TeamName } from '../../lib/names.ts'
import type { GitHost, Head } from '../../lib/ports/git-host.ts'
import { authorOf } from '../../lib/domain/gitops/requesters.ts'
import type { Person } from '../people.ts'
import type { SeedFile } from './file.ts'
import type { Result } from '../../lib/result.ts'

export interface SeedCommit {
  readonly daysAgo: number
  readonly by: Person
  /** If several files have the same path, the last one counts. */
  readonly files: readonly SeedFile[]
  readonly message: string
}

export interface SeedPullRequest {
  readonly branch: string
  readonly title: string
  readonly body: string
  /** The message of its commit; by default the title. */
  readonly message?: string
  readonly openedDaysAgo: number
  readonly by: Person
  readonly files: readonly SeedFile[]
  readonly merged?: { readonly daysAgo: number; readonly by: Person }
}

export interface SeedRepository {
  readonly id: RepositoryId
  readonly description: string
  readonly commits: readonly [SeedCommit, ...SeedCommit[]]
}

/** A git host whose clock can be set, so that commits get dates in the past. */
export interface DatedGitHost {
  readonly host: LocalGitHost
  readonly goTo: (daysAgo: number) => void
}

/** Seeding writes into an empty folder: every failure is a bug or a broken disk. */
export function must<Value>(result: Result<Value, object>): Value {
  if (result.ok) return result.value
  throw new Error(`the demo data could not be written: ${JSON.stringify(result.error)}`)
}

const MARKER = 'demo'
const TEAM = TeamName.of('platform')

export async function seedRepository(
  { host, goTo }: DatedGitHost,
  { id, description, commits: [first, ...rest] }: SeedRepository,
): Promise<Head> {
  goTo(first.daysAgo)
  const created = await host.createRepository(id, {
    description,
    team: TEAM,
    marker: MARKER,
    files: lastOfEachPath(first.files),
    message: first.message,
    author: authorOf(first.by),
  })
  let { head } = must(created)
  for (const commit of rest) head = await seedCommit({ host, goTo }, id, head, commit)
  return head
}

export function seedCommit(
  { host, goTo }: DatedGitHost,
  id: RepositoryId,
  head: Head,
  { daysAgo, ...commit }: SeedCommit,
): Promise<Head> {
  goTo(daysAgo)
  return write(host, id, { ...commit, head, kind: 'advance' })
}

/** Opens a pull request against a branch, and merges it if `merged` is set. Returns the new head of the base branch. */
export async function seedPullRequest(
  { host, goTo }: DatedGitHost,
  id: RepositoryId,
  base: Head,
  { branch: name, title, body, message = title, openedDaysAgo, by, files, merged }: SeedPullRequest,
): Promise<Head> {
  const branch = BranchName.parse(name)
  if (branch === undefined) throw new Error(`not a branch name: ${name}`)
  goTo(openedDaysAgo)
  const parent = { branch, commit: base.commit }
  await write(host, id, { head: parent, by, message, files, kind: 'create' })
  const author = authorOf(by)
  const opened = await host.openPullRequest(id, {
    head: branch,
    base: base.branch,
    title,
    body,
    author,
  })
  const { number } = must(opened).pullRequest
  if (merged === undefined) return base
  goTo(merged.daysAgo)
  must(await host.mergePullRequest(id, number, { by: authorOf(merged.by) }))
  return must(await host.head(id, base.branch))
}

async function write(
  host: GitHost,
  id: RepositoryId,
  {
    head,
    by,
    message,
    files,
    kind,
  }: Omit<SeedCommit, 'daysAgo'> & {
    readonly head: Head
    readonly kind: 'advance' | 'create'
  },
): Promise<Head> {
  const { branch, commit: parent } = head
  const committed = await host.commit(id, {
    branch,
    from: kind === 'advance' ? { kind, expected: parent } : { kind, parent },
    changes: lastOfEachPath(files),
    message,
    author: authorOf(by),
  })
  return must(committed)
}

const lastOfEachPath = (files: readonly SeedFile[]): readonly SeedFile[] => [
  ...new Map(files.map((file) => [file.path, file])).values(),
]
