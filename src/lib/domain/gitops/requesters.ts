import { createLru } from '../../concurrency/lru.ts'
import type { RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { RequesterStore } from '../../ports/database/requesters.ts'
import type { Author, PullRequest } from '../../ports/git-host.ts'
import type { Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import { RECORDS_KEPT_MS } from '../audit/audit.ts'

/** For people without an address at the identity provider. */
const NO_EMAIL = 'noreply@portico.invalid'

export const authorOf = ({ name, email }: Pick<Principal, 'name' | 'email'>): Author => ({
  name,
  email: email ?? NO_EMAIL,
})

/** A person, as far as the portal knows them: `subject` is that of the identity provider, never an account or an e-mail of git. */
export interface Person {
  readonly subject: string | null
  readonly name: string
}

/** Somebody by a name in git or at the git host, whom the portal does not know. */
export const namedPerson = (name: string | null | undefined): Person | null =>
  name === null || name === undefined ? null : { subject: null, name }

/** A person who was signed in. */
export interface Requester extends Person {
  readonly subject: string
}

/** The identity of a pull request: numbers begin again in a repository that is made again. */
type PullRequestId = Pick<PullRequest, 'number' | 'createdAt'>

export type Requesters = ReturnType<typeof createRequesters>

const KNOWN_MAX = 20_000

export interface RequestersOptions {
  readonly store: RequesterStore
  readonly repository: RepositoryId
  readonly clock: Clock
}

/** Remembers who asked for the pull requests of a repository. Losing it leaves the names that git has. */
export function createRequesters({ store, repository: { owner, name }, clock }: RequestersOptions) {
  const repository = `${owner}/${name}`.toLowerCase()
  const known = createLru<string, Requester>(KNOWN_MAX)
  const keyOf = ({ number, createdAt }: PullRequestId) => `${number} ${createdAt}`

  return {
    /** Does nothing for a pull request whose requester is known. */
    note: (
      { number, createdAt: openedAt }: PullRequestId,
      { subject, name }: Requester,
    ): Promise<Result<void, DatabaseFailure>> =>
      store.note({ repository, number, openedAt, subject, name }),

    /** By number. Pull requests past the portal, and all of them while the database is away, are left out. */
    async of(pulls: readonly PullRequestId[]): Promise<ReadonlyMap<number, Requester>> {
      const unknown = pulls.filter((pull) => !known.has(keyOf(pull)))
      const found =
        unknown.length === 0
          ? null
          : await store.find(
              repository,
              unknown.map(({ number }) => number),
            )
      for (const { number, openedAt, subject, name } of found?.ok === true ? found.value : []) {
        known.set(keyOf({ number, createdAt: openedAt }), { subject, name })
      }
      return new Map(
        pulls.flatMap((pull) => {
          const requester = known.get(keyOf(pull))
          return requester === undefined ? [] : [[pull.number, requester]]
        }),
      )
    },

    /** Forgets as the audit trail does. For a timer. */
    sweep: () => store.removeBefore(clock.now() - RECORDS_KEPT_MS),
  }
}

/** The creator of a pull request, by the name that git has where the portal knows nobody. */
export const creatorOf = (
  { number, createdBy }: Pick<PullRequest, 'number' | 'createdBy'>,
  requesters: ReadonlyMap<number, Requester>,
): Person => requesters.get(number) ?? { subject: null, name: createdBy }
