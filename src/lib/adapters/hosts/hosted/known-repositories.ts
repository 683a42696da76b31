import { createLru } from '../../../concurrency/lru.ts'
import { hostPhrase } from '../../../git/host-words.ts'
import { type Static, Type } from 'typebox'
import { BranchName, parseRepositoryId, type RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitAnswer, GitFailure, GitResult } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { answerReader, Maybe } from './api/answer-reader.ts'
import { type Answer, apiPath, type HostClient, hostError, type Subject } from './api/client.ts'
import { isPending, type RepositoryMarks } from './marker.ts'

const RECENT_MS = 60_000
const REPOSITORIES_MAX = 10_000

type Missing = Extract<GitFailure, { kind: 'git_not_found' }>['what']

export const nameOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`
export const pathOf = ({ owner, name }: RepositoryId): string => apiPath`/repos/${owner}/${name}`
export const notFound = (what: Missing) => err({ kind: 'git_not_found', what } as const)
export const isAbsent = (failure: GitFailure, what: Missing): boolean =>
  failure.kind === 'git_not_found' && failure.what === what

/** A repository, as GitHub and Gitea describe it. */
const Repository = Type.Object({
  id: Type.Optional(Type.Integer()),
  full_name: Type.String(),
  /** GitHub's id for its GraphQL API. */
  node_id: Type.Optional(Type.String()),
  default_branch: Type.String(),
  html_url: Type.String(),
  clone_url: Type.Optional(Type.String()),
  description: Maybe(Type.String()),
  /** GitHub's name for the home page. */
  homepage: Maybe(Type.String()),
  /** Gitea's name for the home page. */
  website: Maybe(Type.String()),
  created_at: Maybe(Type.String()),
  archived: Type.Optional(Type.Boolean()),
  /** GitHub and GitLab. */
  visibility: Type.Optional(Type.String()),
  /** Gitea: no commit has been noticed yet. */
  empty: Type.Optional(Type.Boolean()),
})
export type RepositoryAnswer = Static<typeof Repository>
const readRepository = answerReader('a repository', Repository)

/** The texts of a repository that carry the mark of its creation. */
export const marksOf = ({ description, homepage, website }: RepositoryAnswer): RepositoryMarks => ({
  description: description ?? '',
  homepage: homepage ?? website ?? '',
})

export function defaultBranchOf({ default_branch: name }: RepositoryAnswer): GitResult<BranchName> {
  const branch = BranchName.parse(name)
  return branch === undefined ? hostError('the default branch has an unusable name') : ok(branch)
}

/** How a host words a refusal, and its rights to see a repository and to read its contents. */
export interface RefusalWords {
  readonly failureOf: (answer: Answer, subject: Subject) => GitFailure
  readonly see: string
  readonly read: string
}

/** How a host answers for a repository; a host that differs translates its words. */
export interface RepositoryApi {
  readonly pathOf: (repository: RepositoryId) => string
  readonly read: (answer: Answer) => GitResult<RepositoryAnswer>
}

export type KnownRepositories = ReturnType<typeof createKnownRepositories>

/**
 * Repositories that were asked for. One that is being made, or has no commit, does not exist. A complete one stays so, and is asked for
 * again for facts that change and to find out what a 404 means.
 */
export function createKnownRepositories(
  client: Pick<HostClient, 'read'>,
  clock: Clock,
  words: RefusalWords,
  api: RepositoryApi = { pathOf, read: readRepository },
) {
  const known = createLru<string, { readonly facts: RepositoryAnswer; readonly at: number }>(
    REPOSITORIES_MAX,
  )
  const keyOf = (repository: RepositoryId) => nameOf(repository).toLowerCase()

  /** The repository in any state, as it is now. */
  async function ask(repository: RepositoryId): GitAnswer<RepositoryAnswer> {
    const answer = await client.read(api.pathOf(repository))
    if (!answer.ok) return answer
    if (answer.value.status === 200) return api.read(answer.value)
    known.delete(keyOf(repository))
    return err(words.failureOf(answer.value, { repository: nameOf(repository), right: words.see }))
  }

  /** The complete repository as it is now. */
  async function now(repository: RepositoryId): GitAnswer<RepositoryAnswer> {
    const at = clock.now()
    const facts = await ask(repository)
    if (!facts.ok) return facts
    if (facts.value.empty === true || isPending(marksOf(facts.value))) {
      known.delete(keyOf(repository))
      return notFound('repository')
    }
    known.set(keyOf(repository), { facts: facts.value, at })
    return facts
  }

  /** The complete repository as it was at most a minute ago. */
  async function recent(repository: RepositoryId): GitAnswer<RepositoryAnswer> {
    const found = known.get(keyOf(repository))
    const age = clock.now() - (found?.at ?? 0)
    return found !== undefined && age >= 0 && age < RECENT_MS ? ok(found.facts) : now(repository)
  }

  /** The failure for an object that is not there: the repository may be gone as well. */
  async function absent(repository: RepositoryId, what: Missing): Promise<GitFailure> {
    const facts = await now(repository)
    return facts.ok ? notFound(what).error : facts.error
  }

  return {
    read: api.read,
    ask,
    now,
    recent,
    absent,

    /** `owner/name` as the host had it last: a renamed repository is found by its former name. */
    fullNameOf(repository: RepositoryId): string {
      const name = known.get(keyOf(repository))?.facts.full_name ?? ''
      return parseRepositoryId(name) === undefined ? nameOf(repository) : name
    },

    /** Notes that a repository is complete now. */
    note(repository: RepositoryId, facts: RepositoryAnswer): void {
      known.set(keyOf(repository), { facts, at: clock.now() })
    },

    /** The complete repository, as it was at any time. */
    async requireComplete(repository: RepositoryId): GitAnswer<RepositoryAnswer> {
      const found = known.get(keyOf(repository))
      return found === undefined ? now(repository) : ok(found.facts)
    },

    /** Refuses writes to a renamed or archived repository, whose own refusals may name no reason. */
    async requireWritable(repository: RepositoryId): GitAnswer<void> {
      const facts = await recent(repository)
      if (!facts.ok) return facts
      const { full_name: fullName, archived } = facts.value
      const name = nameOf(repository)
      if (fullName.toLowerCase() !== name.toLowerCase()) {
        return err({ kind: 'git_denied', what: `${name} was renamed to ${hostPhrase(fullName)}` })
      }
      if (archived === true) return err({ kind: 'git_denied', what: `${name} is archived` })
      return ok(undefined)
    },

    /** The failure of an unsuccessful read. */
    async missing(repository: RepositoryId, answer: Answer, what: Missing): Promise<GitFailure> {
      const { status } = answer
      // 409: a repository without a commit.
      if (status === 409) return notFound('repository').error
      if (status !== 400 && status !== 404 && status !== 422) {
        return words.failureOf(answer, { repository: nameOf(repository), right: words.read })
      }
      return absent(repository, what)
    },
  }
}
