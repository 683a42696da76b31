import { LRUCache } from 'lru-cache'
import type { RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AskerStore } from '../../ports/database/askers.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { PullRequest } from '../../ports/git-host.ts'
import type { Result } from '../../result.ts'
import { RECORDS_KEPT_MS } from '../audit/audit.ts'

/** A person, as far as the portal knows them: `subject` is that of the identity provider, never an account or an e-mail of git. */
export interface Person {
  readonly subject: string | null
  readonly name: string
}

/** A person who was signed in. */
export interface Asker extends Person {
  readonly subject: string
}

/** The identity of a pull request: numbers begin again in a repository that is made again. */
type PullRequestId = Pick<PullRequest, 'number' | 'createdAt'>

export type Askers = ReturnType<typeof createAskers>

const KNOWN_MAX = 20_000

export interface AskersOptions {
  readonly store: AskerStore
  readonly repository: RepositoryId
  readonly clock: Clock
}

/** Remembers who asked for the pull requests of a repository. Losing it leaves the names that git has. */
export function createAskers({ store, repository: { owner, name }, clock }: AskersOptions) {
  const repository = `${owner}/${name}`.toLowerCase()
  const known = new LRUCache<string, Asker>({ max: KNOWN_MAX })
  const keyOf = ({ number, createdAt }: PullRequestId) => `${number} ${createdAt}`

  return {
    /** Does nothing for a pull request whose asker is known. */
    note: (
      { number, createdAt: openedAt }: PullRequestId,
      { subject, name }: Asker,
    ): Promise<Result<void, DatabaseFailure>> =>
      store.note({ repository, number, openedAt, subject, name }),

    /** By number. Pull requests past the portal, and all of them while the database is away, are left out. */
    async of(pulls: readonly PullRequestId[]): Promise<ReadonlyMap<number, Asker>> {
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
          const asker = known.get(keyOf(pull))
          return asker === undefined ? [] : [[pull.number, asker]]
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
  askers: ReadonlyMap<number, Asker>,
): Person => askers.get(number) ?? { subject: null, name: createdBy }
