import { type SecretPath, secretPath } from '../../names.ts'
import type { SecretStore, SecretStoreFailure } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { SecretActorFailure, TimedActor } from '../access/secret-actor.ts'
import type { Audit, AuditEntry, RequestFacts } from '../audit/audit.ts'
import type { ScaffoldSpec } from './spec.ts'

/** Who asks for a run or its retry, and with which request. */
export interface Caller extends RequestFacts {
  readonly principal: Principal
  /** Asked only when it decides something: it may need the identity provider. */
  readonly secretActor: () => Promise<Result<TimedActor, SecretActorFailure>>
}

export type SecretRightFailure = SecretActorFailure | SecretStoreFailure

export interface SecretRightsOptions {
  readonly secretStore: Pick<SecretStore, 'knowsPersons' | 'mayCreate'>
  readonly audit: Pick<Audit, 'record'>
}

export type SecretRights = ReturnType<typeof createSecretRights>

type Entry = Pick<ScaffoldSpec, 'team' | 'app' | 'firstEnvironment'>

const DENIALS: ReadonlySet<string> = new Set([
  'secret_store_forbidden',
  'secret_store_unauthorized',
] satisfies SecretStoreFailure['kind'][])

/** Whether persons may create the secret entries of runs, by the policy of a store that knows persons. Refusals are in the audit trail. */
export function createSecretRights({ secretStore, audit }: SecretRightsOptions) {
  async function recordDenial(
    principal: Principal,
    action: string,
    entry: Entry,
    { kind }: { readonly kind: string },
    { requestId, address }: Pick<AuditEntry, 'requestId' | 'address'>,
  ): Promise<void> {
    if (!DENIALS.has(kind)) return
    await audit.record(principal, {
      action,
      target: `component/${entry.app}`,
      team: entry.team,
      result: 'denied',
      code: kind,
      requestId,
      address,
      details: { secretPath: pathOf(entry) },
    })
  }

  async function rightOf({ secretActor }: Caller, path: SecretPath) {
    const acting = await secretActor()
    if (!acting.ok) return acting
    const allowed = await secretStore.mayCreate(path, acting.value.actor)
    return allowed.ok ? acting : allowed
  }

  return {
    /** The actor of a run whose entry the caller may create; `null` for a store that does not know persons. */
    async require(
      caller: Caller,
      action: 'scaffold.start' | 'scaffold.preview' | 'scaffold.retry',
      entry: Entry,
    ): Promise<Result<TimedActor | null, SecretRightFailure>> {
      if (!secretStore.knowsPersons) return ok(null)
      const right = await rightOf(caller, pathOf(entry))
      if (!right.ok) await recordDenial(caller.principal, action, entry, right.error, caller)
      return right
    },

    /** Records that the store refused a person in the middle of a run. */
    deniedInRun: (principal: Principal, entry: Entry, failure: { readonly kind: string }) =>
      recordDenial(principal, 'scaffold.create_secret', entry, failure, NO_REQUEST),
  }
}

const NO_REQUEST = { requestId: null, address: null }

const pathOf = ({ team, app, firstEnvironment }: Entry): SecretPath =>
  secretPath(team, app, firstEnvironment)
