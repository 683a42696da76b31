import { setSystemTime } from 'bun:test'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import {
  createOidcIdentityProvider,
  type OidcSettings,
} from '#src/lib/adapters/identity/oidc/index.ts'
import type { Principal } from '#src/lib/ports/identity.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { IdentityFixture } from '#tests/contracts/identity.ts'
import {
  ada,
  CLIENT,
  type OidcPeer,
  type OidcPeerOptions,
  spawnOidcPeer,
  startOidcPeer,
} from '#tests/peers/oidc-provider.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { valueOf } from '#tests/support/value-of.ts'

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

interface OidcFixtureOptions {
  readonly start?: typeof startOidcPeer
  readonly provider?: OidcPeerOptions
  readonly settings?: Partial<OidcSettings>
}

/** A certified OpenID Connect provider on a socket of its own, and the adapter that asks it. */
export async function openOidc({
  start = startOidcPeer,
  provider = {},
  settings = {},
}: OidcFixtureOptions = {}): Promise<OidcFixture> {
  const peer = await start(provider)
  const { issuer } = peer
  const { ca = null } = provider
  const files = () => ({ authorities: ca, groupNames: new Map() })
  const identity = createOidcIdentityProvider(oidcSettings(issuer, { files, ...settings }))
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`), {
    [customFetch]: (url, init) => fetch(url, { ...init, ...(ca !== null && { tls: { ca } }) }),
  })

  return {
    peer,
    identity,
    clientId: CLIENT.id,
    async begin() {
      const { url, transaction } = valueOf(await identity.authorizationRequest())
      return { callback: (await peer.authorize(url)).searchParams, transaction }
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
