import { type SecretPath, secretPath } from '../../names.ts'
import type { SecretStore, SecretStoreFailure } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { SecretActorFailure, TimedActor } from '../access/secret-actor.ts'
import type { RequestFacts } from '../audit/audit.ts'
import type { ScaffoldSpec } from './spec.ts'

/** Who asks for a run or its retry, and with which request. */
export interface Caller extends RequestFacts {
  readonly principal: Principal
  /** Asked only when it decides something: it may need the identity provider. */
  readonly secretActor: () => Promise<Result<TimedActor, SecretActorFailure>>
}

export type SecretRightFailure = SecretActorFailure | SecretStoreFailure

export type SecretRights = ReturnType<typeof createSecretRights>

type Entry = Pick<ScaffoldSpec, 'team' | 'app' | 'firstEnvironment'>

/** Whether persons may create the secret entries of runs, by the policy of a store that knows persons. */
export const createSecretRights = (
  secretStore: Pick<SecretStore, 'knowsPersons' | 'mayCreate'>,
) => ({
  /** The actor of a run whose entry the caller may create; `null` for a store that does not know persons. */
  async require(
    { secretActor }: Caller,
    entry: Entry,
  ): Promise<Result<TimedActor | null, SecretRightFailure>> {
    if (!secretStore.knowsPersons) return ok(null)
    const acting = await secretActor()
    if (!acting.ok) return acting
    const allowed = await secretStore.mayCreate(secretPathOf(entry), acting.value.actor)
    return allowed.ok ? acting : allowed
  },
})

export const secretPathOf = ({ team, app, firstEnvironment }: Entry): SecretPath =>
  secretPath(team, app, firstEnvironment)
