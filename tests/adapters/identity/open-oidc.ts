import { setSystemTime } from 'bun:test'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import type { Principal, SignIn } from '#src/lib/ports/identity.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { IdentityFixture } from '#tests/contracts/identity.ts'
import {
  ada,
  CLIENT,
  type OidcPeer,
  spawnOidcPeer,
  startOidcPeer,
} from '#tests/peers/oidc-provider.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'

const HOUR_MS = 3_600_000

export const adaAt = (issuer: string): Principal => ({
  issuer,
  subject: ada.sub,
  name: ada.name,
  email: ada.email,
  groups: { kind: 'known', names: ada.groups },
})

export interface OidcFixture extends IdentityFixture {
  readonly peer: OidcPeer
}

/** A certified OpenID Connect provider on a socket of its own, and the adapter that asks it. */
export async function openOidc({ start = startOidcPeer } = {}): Promise<OidcFixture> {
  const peer = await start()
  const { issuer } = peer
  const identity = createOidcIdentityProvider(oidcSettings(issuer))
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

  return {
    peer,
    identity,
    clientId: CLIENT.id,
    async signIn(): Promise<SignIn> {
      const request = await identity.authorizationRequest()
      if (!request.ok) throw new Error(JSON.stringify(request.error))
      const { url, transaction } = request.value
      const callback = await peer.authorize(url)
      const signedIn = await identity.signIn(callback.searchParams, transaction)
      if (!signedIn.ok) throw new Error(JSON.stringify(signedIn.error))
      return signedIn.value
    },
    async subjectOf(token, audience) {
      try {
        return (await jwtVerify(token, keys, { issuer, audience })).payload.sub
      } catch (error) {
        if (error instanceof errors.JWTClaimValidationFailed) return undefined
        throw error
      }
    },
    // The provider has no clock but the system's.
    async pass(hours) {
      setSystemTime(Date.now() + hours * HOUR_MS)
      if (start === spawnOidcPeer) await peer.pass(hours * HOUR_MS)
    },
    now: () => systemClock.now(),
    async [Symbol.asyncDispose]() {
      setSystemTime()
      await peer[Symbol.asyncDispose]()
    },
  }
}
