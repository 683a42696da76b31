/** What the tests use of a package that brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
  import type { JWK } from 'jose'

  interface Client {
    readonly clientId: string
    backchannelLogoutSessionRequired: boolean
    backchannelLogout(subject: string, sid: string): Promise<void>
  }

  interface Token {
    readonly accountId: string
    readonly grantId: string
    resourceServer: unknown
    save(): Promise<string>
  }

  interface TokenModel {
    new (fields: object): Token
    find(value: unknown): Promise<Token | undefined>
    revokeByGrantId(grantId: string): Promise<void>
  }

  export interface Context {
    status: number
    body: unknown
    readonly oidc: {
      readonly params: Readonly<Record<string, string | undefined>>
      readonly client: Client
      readonly session: { readonly accountId: string; sidFor(clientId: string): string }
      entity(kind: string, token: Token): void
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: { jwks: { keys: JWK[] } } & Record<string, unknown>)
    proxy: boolean
    readonly AccessToken: TokenModel
    readonly RefreshToken: TokenModel
    readonly Client: { find(id: string): Promise<Client | undefined> }
    readonly Grant: new (fields: object) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    readonly ResourceServer: new (audience: string, info: object) => unknown
    registerGrantType(
      name: string,
      handler: (context: Context) => Promise<void>,
      parameters: readonly string[],
    ): void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: { mergeWithLastSubmission: boolean },
    ): Promise<void>
    on(event: string, listener: (...facts: unknown[]) => void): void
    callback(): RequestListener
  }
}
