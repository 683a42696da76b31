import type { Links } from './links.ts'
import type { Credential, Repository, State } from './state.ts'

/** A request after it was checked: described, authenticated and allowed. */
export interface Call {
  readonly state: State
  readonly links: Links
  readonly behaviour: Behaviour
  readonly credential: Credential
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Checked against the description; its members are what the operation's body has. */
  readonly body: unknown
  /** Path and query of the request, below the API's root. */
  readonly target: string
}

export interface RepositoryCall extends Call {
  readonly repository: Repository
}

export interface Behaviour {
  /** Calls that find a new repository empty, while its first commit is made in the background. */
  emptyCalls: number
  /** Calls that do not find a new repository, because they reach a replica. */
  hiddenCalls: number
  /** Assets are streamed by the API itself, or from storage after a redirect. */
  assets: 'redirect' | 'direct'
  /** Lifetime of an installation's token; an hour on GitHub. */
  tokenLifeMs: number
  /** An enterprise may forbid private repositories. */
  privateRepositories: boolean
  /** Organizations may leave it to their owners to change who sees a repository. */
  visibilityChanges: boolean
  /** Default branch of new repositories, as the organization has set it. */
  defaultBranch: string
}
