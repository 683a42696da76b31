import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { BranchName, type RepositoryId } from '../../../names.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, hostError, refusalOf, type HostClient } from '../hosted/client.ts'
import { isPending } from '../hosted/marker.ts'

const REMEMBERED_MS = 60_000
const REPOSITORIES_MAX = 1_000

const Repository = Type.Object({
  full_name: Type.String(),
  default_branch: Type.String(),
  description: Type.Optional(Nullable(Type.String())),
  website: Type.Optional(Nullable(Type.String())),
  html_url: Type.String(),
  clone_url: Type.String(),
  empty: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  permissions: Type.Optional(
    Type.Object({
      admin: Type.Optional(Type.Boolean()),
      push: Type.Optional(Type.Boolean()),
      pull: Type.Optional(Type.Boolean()),
    }),
  ),
})
const isRepository = Compile(Repository)
export type RepositoryFacts = Static<typeof Repository>

export type Facts = ReturnType<typeof createFacts>

/**
 * Facts about complete repositories, remembered for a minute. A repository without commits, or that is being set up, does
 * not exist for callers.
 */
export function createFacts(client: Pick<HostClient, 'read'>, clock: Clock) {
  const remembered = new Map<string, { readonly at: number; readonly facts: RepositoryFacts }>()
  const keyOf = ({ owner, name }: RepositoryId) => `${owner}/${name}`.toLowerCase()

  async function readNow(repository: RepositoryId): Promise<Result<RepositoryFacts, GitFailure>> {
    const at = clock.now()
    const facts = await readRepository(client, repository)
    remembered.delete(keyOf(repository))
    if (!facts.ok) return facts
    if (facts.value.empty === true || isPending(marksOf(facts.value))) {
      return err({ kind: 'git_not_found', what: 'repository' })
    }
    const [oldest] = remembered.keys()
    if (remembered.size >= REPOSITORIES_MAX && oldest !== undefined) remembered.delete(oldest)
    remembered.set(keyOf(repository), { at, facts: facts.value })
    return facts
  }

  return {
    async read(repository: RepositoryId): Promise<Result<RepositoryFacts, GitFailure>> {
      const known = remembered.get(keyOf(repository))
      const age = known === undefined ? REMEMBERED_MS : clock.now() - known.at
      return known !== undefined && age >= 0 && age < REMEMBERED_MS
        ? ok(known.facts)
        : readNow(repository)
    },
    readNow,
    /** The failure behind a 404, which Gitea gives for a missing repository as well. */
    async missing(
      repository: RepositoryId,
      what: Extract<GitFailure, { kind: 'git_not_found' }>['what'],
    ): Promise<Result<never, GitFailure>> {
      const facts = await readNow(repository)
      return facts.ok ? err({ kind: 'git_not_found', what }) : facts
    },
  }
}

/** Whatever its state. */
export async function readRepository(
  client: Pick<HostClient, 'read'>,
  { owner, name }: RepositoryId,
): Promise<Result<RepositoryFacts, GitFailure>> {
  const answer = await client.read(apiPath`/repos/${owner}/${name}`)
  if (!answer.ok) return answer
  const { status, json } = answer.value
  if (status !== 200) {
    return err(
      refusalOf(answer.value, {
        repository: `${owner}/${name}`,
        right: 'repository: read',
      }),
    )
  }
  return isRepository.Check(json) ? ok(json) : hostError('a repository has unexpected members')
}

/** The texts of a repository that carry the mark of its creation. */
export const marksOf = ({ description, website }: RepositoryFacts) => ({
  description: description ?? '',
  homepage: website ?? '',
})

export function defaultBranchOf(facts: RepositoryFacts): Result<BranchName, GitFailure> {
  const branch = BranchName.parse(facts.default_branch)
  return branch ? ok(branch) : hostError('the default branch has an unusable name')
}
