import type { IncomingMessage } from 'node:http'
import type { Faults } from '#tests/peers/forge/faults.ts'
import type { GitServing } from '#tests/peers/forge/git-http.ts'
import type { Behaviour } from './call.ts'
import type { Description, Operation } from './description.ts'
import type { CallName } from './call-name.ts'
import type { Handler } from './handlers.ts'
import type { Limits } from './limits.ts'
import type { Links } from './links.ts'
import type { State } from './state.ts'
import type { Storage } from './storage.ts'

/** A request that arrived, for counts and for what was sent with it. */
export interface Arrival {
  readonly name: CallName | 'unknown'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

export interface Parts {
  readonly state: State
  readonly links: Links
  readonly behaviour: Behaviour
  readonly description: Description
  readonly handlers: Readonly<Record<Operation['id'], Handler>>
  readonly limits: Limits
  readonly faults: Faults<CallName>
  readonly storage: Storage
  readonly arrivals: Arrival[]
  /** What does not agree with GitHub's description, by the adapter or by this fake. */
  readonly deviations: string[]
  /** Repositories for the program git. */
  readonly git: GitServing
  /** Before each answer. */
  readonly delay: () => Promise<void>
  readonly isChecked: boolean
}

export const headersOf = (request: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
  )
