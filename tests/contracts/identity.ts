import { describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import type { IdentityProvider, IdentityTokens, SignIn } from '#src/lib/ports/identity.ts'
import { err } from '#src/lib/result.ts'

/** A provider that knows somebody, and what only somebody outside the port can do with it. */
export interface IdentityFixture extends AsyncDisposable {
  readonly identity: IdentityProvider
  /** Whom the ID tokens are for. */
  readonly clientId: string
  /** Signs the person in, by the provider's own means. Tokens last an hour, the refresh token ten. */
  signIn(): Promise<SignIn>
  /** Whom an API server takes for the holder of a token, if the token is for this audience. */
  subjectOf(token: string, audience: string): Promise<string | undefined>
  /** Lets hours pass, for the provider and for whoever checks its tokens. */
  pass(hours: number): Promise<void>
  now(): number
}

const HOUR_MS = 3_600_000
const PROD = 'urn:cluster:prod'
const STAGING = 'urn:cluster:staging'

export const rejected = err({ kind: 'identity_rejected' })

/** Tokens of which only the refresh token counts. */
export const tokensWith = (refreshToken: string | null): IdentityTokens => ({
  idToken: '',
  idTokenExpiresAt: 0,
  accessToken: '',
  refreshToken,
  expiresAt: 0,
})

const endOf = (jwt: string) => (decodeJwt(jwt).exp ?? 0) * 1000

function refreshTokenOf({ tokens }: SignIn): string {
  if (tokens.refreshToken === null) throw new Error('a sign-in without a refresh token')
  return tokens.refreshToken
}

export function identityContract(name: string, open: () => Promise<IdentityFixture>) {
  describe(`${name} keeps the IdentityProvider contract`, () => {
    describe('refresh', () => {
      async function refreshed({ identity }: IdentityFixture, signIn: SignIn): Promise<SignIn> {
        const outcome = await identity.renew(tokensWith(refreshTokenOf(signIn)))
        if (!outcome.ok) throw new Error(outcome.error.kind)
        return outcome.value
      }

      test('tells who it is, with tokens of the person and when they end', async () => {
        await using at = await open()
        const before = await at.signIn()
        await at.pass(2)
        const { principal, tokens } = await refreshed(at, before)
        expect(principal).toStrictEqual(before.principal)
        expect(principal.groups).toMatchObject({ kind: 'known' })
        expect(await at.subjectOf(tokens.idToken, at.clientId)).toBe(principal.subject)
        expect(tokens.idTokenExpiresAt).toBe(endOf(tokens.idToken))
        for (const end of [tokens.idTokenExpiresAt, tokens.expiresAt]) {
          expect(end).toBeWithin(at.now() + HOUR_MS - 10_000, at.now() + HOUR_MS + 1)
        }
      })

      test('goes on with the refresh token that it gave', async () => {
        await using at = await open()
        let signIn = await at.signIn()
        for (let round = 0; round < 3; round++) {
          const next = await refreshed(at, signIn)
          expect(refreshTokenOf(next)).not.toBe(refreshTokenOf(signIn))
          signIn = next
        }
        const { accessToken } = signIn.tokens
        expect(await at.identity.exchange(accessToken, PROD)).toMatchObject({ ok: true })
      })

      test('takes a refresh token once', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await at.signIn())
        expect(await at.identity.renew(tokensWith(refreshToken))).toMatchObject({ ok: true })
        expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
      })

      test('takes a refresh token once, also of callers at the same time', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await at.signIn())
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, () => at.identity.renew(tokensWith(refreshToken))),
        )
        const refused = outcomes.filter(({ ok }) => !ok)
        expect(refused).toStrictEqual(Array.from({ length: 4 }, () => rejected))
      })

      test('takes neither other tokens nor what is none', async () => {
        await using at = await open()
        const { tokens } = await at.signIn()
        for (const token of [tokens.accessToken, tokens.idToken, 'x', 'a.b.c', 'é\r\n&=%']) {
          expect(await at.identity.renew(tokensWith(token))).toStrictEqual(rejected)
        }
      })

      test('takes no refresh token whose time is over', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await at.signIn())
        await at.pass(11)
        expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
      })
    })

    describe('exchange', () => {
      test('gives a token of the person for one audience alone, and when it ends', async () => {
        await using at = await open()
        const { principal, tokens } = await at.signIn()
        for (const audience of [PROD, STAGING]) {
          const outcome = await at.identity.exchange(tokens.accessToken, audience)
          if (!outcome.ok) throw new Error(outcome.error.kind)
          const { token, expiresAt } = outcome.value
          const audiences = [PROD, STAGING, at.clientId]
          const subjects = await Promise.all(audiences.map((other) => at.subjectOf(token, other)))
          expect(subjects).toStrictEqual(
            audiences.map((other) => (other === audience ? principal.subject : undefined)),
          )
          expect(expiresAt).toBe(endOf(token))
          expect(expiresAt).toBeWithin(at.now() + 1, at.now() + HOUR_MS + 1)
        }
      })

      test('takes an access token as often as it is asked', async () => {
        await using at = await open()
        const { accessToken } = (await at.signIn()).tokens
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, () => at.identity.exchange(accessToken, PROD)),
        )
        expect(outcomes.every(({ ok }) => ok)).toBe(true)
      })

      test('takes neither other tokens nor what is none', async () => {
        await using at = await open()
        const signIn = await at.signIn()
        const { accessToken, idToken } = signIn.tokens
        const exchanged = await at.identity.exchange(accessToken, STAGING)
        const ofCluster = exchanged.ok ? exchanged.value.token : ''
        expect(ofCluster).not.toBe('')
        for (const token of [refreshTokenOf(signIn), idToken, ofCluster, 'x', 'é\r\n&=%']) {
          expect(await at.identity.exchange(token, PROD)).toStrictEqual(rejected)
        }
      })

      test('takes no access token whose time is over', async () => {
        await using at = await open()
        const { accessToken } = (await at.signIn()).tokens
        await at.pass(2)
        expect(await at.identity.exchange(accessToken, PROD)).toStrictEqual(rejected)
      })
    })
  })
}
