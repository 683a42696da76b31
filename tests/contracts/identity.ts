import { describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import type {
  IdentityProvider,
  IdentityTokens,
  SignIn,
  SignInTransaction,
} from '#src/lib/ports/identity.ts'
import { err } from '#src/lib/result.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** A provider that knows somebody, and what only somebody outside the port can do with it. */
export interface IdentityFixture extends AsyncDisposable {
  readonly identity: IdentityProvider
  /** Whom the ID tokens are for. */
  readonly clientId: string
  /** Begins a sign-in that the person agrees to at the provider's page. */
  begin(): Promise<{ callback: URLSearchParams; transaction: SignInTransaction }>
  /** Whom an API server takes for the holder of a token, if the token is for this audience. */
  subjectOf(token: string, audience: string): Promise<string | undefined>
  /** Lets hours pass, for the provider and for whoever checks its tokens. */
  pass(hours: number): Promise<void>
  now(): number
}

/** Signs the person in. Tokens last an hour, the refresh token ten. */
export async function signIn({
  identity,
  begin,
}: Pick<IdentityFixture, 'identity' | 'begin'>): Promise<SignIn> {
  const { callback, transaction } = await begin()
  return valueOf(await identity.signIn(callback, transaction))
}

const HOUR_MS = 3_600_000
const PROD = 'urn:cluster:prod'
const STAGING = 'urn:cluster:staging'

export const rejected = err({ kind: 'identity_rejected' })
const expired = err({ kind: 'sign_in_expired' })

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
    describe('signIn', () => {
      test('tells who it is, with tokens of the person and when they end', async () => {
        await using at = await open()
        const { principal, tokens } = await signIn(at)
        expect(principal.groups).toMatchObject({ kind: 'known' })
        expect(await at.subjectOf(tokens.idToken, at.clientId)).toBe(principal.subject)
        expect(tokens.idTokenExpiresAt).toBe(endOf(tokens.idToken))
        for (const end of [tokens.idTokenExpiresAt, tokens.expiresAt]) {
          // Providers round to whole seconds.
          const latest = Math.ceil((at.now() + HOUR_MS) / 1_000) * 1_000
          expect(end).toBeWithin(latest - 60_000, latest + 1)
        }
      })

      test('SEC-O3 takes a code once', async () => {
        await using at = await open()
        const { callback, transaction } = await at.begin()
        expect(await at.identity.signIn(callback, transaction)).toMatchObject({ ok: true })
        expect(await at.identity.signIn(callback, transaction)).toStrictEqual(expired)
      })

      test('takes a code once, also of callers at the same time', async () => {
        await using at = await open()
        const { callback, transaction } = await at.begin()
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, () => at.identity.signIn(callback, transaction)),
        )
        const refused = outcomes.filter(({ ok }) => !ok)
        expect(refused).toStrictEqual(Array.from({ length: 4 }, () => expired))
      })

      test('takes no code whose time is over', async () => {
        await using at = await open()
        const { callback, transaction } = await at.begin()
        await at.pass(1)
        expect(await at.identity.signIn(callback, transaction)).toStrictEqual(expired)
      })

      test('SEC-O2 takes no callback of another request', async () => {
        await using at = await open()
        const [one, other] = [await at.begin(), await at.begin()]
        expect(one.transaction).not.toEqual(other.transaction)
        expect(await at.identity.signIn(one.callback, other.transaction)).toStrictEqual(expired)
        // The stolen code, with the state of the one who would use it.
        const stolen = new URLSearchParams(one.callback)
        stolen.set('state', other.transaction.state)
        expect(await at.identity.signIn(stolen, other.transaction)).toStrictEqual(expired)
      })

      test('SEC-O4 takes no callback of another issuer, and none that repeats a parameter', async () => {
        await using at = await open()
        const { callback, transaction } = await at.begin()
        for (const spoil of [
          (query: URLSearchParams) => query.set('iss', 'https://evil.example.org'),
          (query: URLSearchParams) => query.delete('iss'),
          (query: URLSearchParams) => query.append('iss', 'https://evil.example.org'),
          (query: URLSearchParams) => query.append('code', 'other'),
          (query: URLSearchParams) => query.append('state', 'other'),
          (query: URLSearchParams) => query.delete('code'),
        ]) {
          const spoiled = new URLSearchParams(callback)
          spoil(spoiled)
          expect(await at.identity.signIn(spoiled, transaction)).toMatchObject({
            ok: false,
            error: { kind: 'sign_in_invalid' },
          })
        }
        // None of them used the code up.
        expect(await at.identity.signIn(callback, transaction)).toMatchObject({ ok: true })
      })
    })

    describe('revoke', () => {
      test('ends a refresh token', async () => {
        await using at = await open()
        const { tokens } = await signIn(at)
        const done = { ok: true as const, value: undefined }
        expect(await at.identity.revoke(tokens.refreshToken ?? '')).toStrictEqual(done)
        expect(await at.identity.renew(tokens)).toStrictEqual(rejected)
        for (const token of [tokens.refreshToken ?? '', 'x', 'a.b.c']) {
          expect(await at.identity.revoke(token)).toStrictEqual(done)
        }
      })
    })

    describe('the end of sessions', () => {
      test('leads to a page of the provider, or to none', async () => {
        await using at = await open()
        const { tokens } = await signIn(at)
        const left = valueOf(await at.identity.logoutUrl(tokens.idToken))
        expect(left === null || URL.canParse(left)).toBe(true)
      })

      test('SEC-O8 is not told by other tokens than logout tokens', async () => {
        await using at = await open()
        const { tokens } = await signIn(at)
        for (const token of [tokens.idToken, tokens.accessToken, '', 'x', 'a.b.c', 'é&=%']) {
          expect(await at.identity.readLogoutToken(token)).toMatchObject({
            ok: false,
            error: { kind: 'logout_token_invalid' },
          })
        }
      })
    })

    describe('renew', () => {
      test('needs a refresh token where the ID token has the groups', async () => {
        await using at = await open()
        const { tokens } = await signIn(at)
        const without = { ...tokens, refreshToken: null }
        expect(await at.identity.renew(without)).toStrictEqual(
          err({ kind: 'identity_not_renewable' }),
        )
      })

      async function refreshed({ identity }: IdentityFixture, before: SignIn): Promise<SignIn> {
        return valueOf(await identity.renew(before.tokens))
      }

      test('tells who it is, with tokens of the person and when they end', async () => {
        await using at = await open()
        const before = await signIn(at)
        await at.pass(2)
        const { principal, tokens } = await refreshed(at, before)
        expect(principal).toStrictEqual(before.principal)
        expect(principal.groups).toMatchObject({ kind: 'known' })
        expect(await at.subjectOf(tokens.idToken, at.clientId)).toBe(principal.subject)
        expect(tokens.idTokenExpiresAt).toBe(endOf(tokens.idToken))
        for (const end of [tokens.idTokenExpiresAt, tokens.expiresAt]) {
          // Providers round to whole seconds.
          expect(end).toBeWithin(at.now() + HOUR_MS - 60_000, at.now() + HOUR_MS + 1_000)
        }
      })

      test('goes on with the refresh token that it gave', async () => {
        await using at = await open()
        let last = await signIn(at)
        for (let round = 0; round < 3; round++) {
          const next = await refreshed(at, last)
          expect(refreshTokenOf(next)).not.toBe(refreshTokenOf(last))
          last = next
        }
        const { accessToken } = last.tokens
        expect(await at.identity.exchange(accessToken, PROD)).toMatchObject({ ok: true })
      })

      test('takes a refresh token once', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await signIn(at))
        expect(await at.identity.renew(tokensWith(refreshToken))).toMatchObject({ ok: true })
        expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
      })

      test('takes a refresh token once, also of callers at the same time', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await signIn(at))
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, () => at.identity.renew(tokensWith(refreshToken))),
        )
        const refused = outcomes.filter(({ ok }) => !ok)
        expect(refused).toStrictEqual(Array.from({ length: 4 }, () => rejected))
      })

      test('takes neither other tokens nor what is none', async () => {
        await using at = await open()
        const { tokens } = await signIn(at)
        for (const token of [tokens.accessToken, tokens.idToken, 'x', 'a.b.c', 'é\r\n&=%']) {
          expect(await at.identity.renew(tokensWith(token))).toStrictEqual(rejected)
        }
      })

      test('takes no refresh token whose time is over', async () => {
        await using at = await open()
        const refreshToken = refreshTokenOf(await signIn(at))
        await at.pass(11)
        expect(await at.identity.renew(tokensWith(refreshToken))).toStrictEqual(rejected)
      })
    })

    describe('exchange', () => {
      test('gives a token of the person for one audience alone, and when it ends', async () => {
        await using at = await open()
        const { principal, tokens } = await signIn(at)
        for (const audience of [PROD, STAGING]) {
          const { token, expiresAt } = valueOf(
            await at.identity.exchange(tokens.accessToken, audience),
          )
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
        const { accessToken } = (await signIn(at)).tokens
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, () => at.identity.exchange(accessToken, PROD)),
        )
        expect(outcomes.every(({ ok }) => ok)).toBe(true)
      })

      test('takes neither other tokens nor what is none', async () => {
        await using at = await open()
        const signedIn = await signIn(at)
        const { accessToken, idToken } = signedIn.tokens
        const exchanged = await at.identity.exchange(accessToken, STAGING)
        const ofCluster = exchanged.ok ? exchanged.value.token : ''
        expect(ofCluster).not.toBe('')
        for (const token of [refreshTokenOf(signedIn), idToken, ofCluster, 'x', 'é\r\n&=%']) {
          expect(await at.identity.exchange(token, PROD)).toStrictEqual(rejected)
        }
      })

      test('takes no access token whose time is over', async () => {
        await using at = await open()
        const { accessToken } = (await signIn(at)).tokens
        await at.pass(2)
        expect(await at.identity.exchange(accessToken, PROD)).toStrictEqual(rejected)
      })
    })
  })
}
