import { setSystemTime } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import type { Principal } from '#src/lib/ports/identity.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { type IdentityFixture, tokensWith } from '#tests/contracts/identity.ts'
import { ada, CLIENT, createProvider } from './certified-provider.ts'
import { PUBLIC_URL } from './fake-issuer.ts'

const HOUR_MS = 3_600_000
const SCOPE = 'openid profile email groups offline_access'

export const adaAt = (issuer: string): Principal => ({
  issuer,
  subject: ada.sub,
  name: ada.name,
  email: ada.email,
  groups: { kind: 'known', names: ada.groups },
})

export interface OidcFixture extends IdentityFixture {
  readonly issuer: string
  /** A refresh token, as a sign-in at the provider's pages would give. */
  newRefreshToken(): Promise<string>
}

/** A certified OpenID Connect provider in this process, on a socket of its own, and the adapter that asks it. */
export async function openOidc(): Promise<OidcFixture> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // A TCP server's address is an object, see `net.Server.address`.
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const provider = await createProvider(issuer)
  server.on('request', provider.callback())

  const identity = createOidcIdentityProvider({
    issuer: new URL(issuer),
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    groupsClaim: ['groups'],
    publicUrl: PUBLIC_URL,
    clock: systemClock,
  })
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))

  async function newRefreshToken() {
    const grant = new provider.Grant({ accountId: ada.sub, clientId: CLIENT.id })
    grant.addOIDCScope(SCOPE)
    const grantId = await grant.save()
    const client = await provider.Client.find(CLIENT.id)
    const fields = { accountId: ada.sub, client, grantId, scope: SCOPE, gty: 'authorization_code' }
    return await new provider.RefreshToken(fields).save()
  }

  return {
    issuer,
    identity,
    clientId: CLIENT.id,
    newRefreshToken,
    async signIn() {
      const signedIn = await identity.renew(tokensWith(await newRefreshToken()))
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
    pass: (hours) => void setSystemTime(Date.now() + hours * HOUR_MS),
    now: () => systemClock.now(),
    async [Symbol.asyncDispose]() {
      setSystemTime()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
