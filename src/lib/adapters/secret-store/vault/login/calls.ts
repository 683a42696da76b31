import type { SecretActor, SecretStoreFailure } from '../../../../ports/secret-store.ts'
import { err, type Result } from '../../../../result.ts'
import type { SecretStoreMeans } from '../../means.ts'
import type { VaultAnswer, VaultClient, VaultRequest } from '../api/client.ts'
import type { ServiceLogin } from './method.ts'

/** Requests to the store in the name of an actor, with a token that is valid. */
export interface VaultCalls {
  /**
   * Sends a request. A 403 is settled here and never an answer: by one look at the own token and, if the token is refused, one new
   * login and one repetition. Then it is `secret_store_denied` (the service), `secret_store_forbidden` (a person, by policy) or
   * `secret_store_unauthorized` (the login of a person is refused). `right` says what was asked for, such as `patch on secret/data/a/b`.
   */
  call(
    actor: SecretActor,
    request: Omit<VaultRequest, 'token'>,
    right: string,
  ): Promise<Result<VaultAnswer, SecretStoreFailure>>
  /** Revokes the tokens of logins. A token that was given in settings stays valid. */
  close(): Promise<void>
}

export interface VaultCallsOptions extends Pick<SecretStoreMeans, 'clock' | 'log'> {
  readonly client: VaultClient
  readonly service: ServiceLogin
}

export function createVaultCalls({ client, service }: VaultCallsOptions): VaultCalls {
  return {
    async call(_, request, right) {
      const answer = await client.send({ ...request, token: service.token })
      if (!answer.ok || answer.value.status !== 403) return answer
      return err({ kind: 'secret_store_denied', what: right })
    },
    close: () => Promise.resolve(),
  }
}
