import { describe, expect, test } from 'bun:test'
import { createReturnTo } from '#src/lib/domain/access/sign-in/return-to.ts'
import { createSignIns } from '#src/lib/domain/access/sign-in/sign-in.ts'
import { createSignOuts } from '#src/lib/domain/access/sign-in/sign-out.ts'
import { createTransactionCookies } from '#src/lib/domain/access/sign-in/transaction-cookie.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'

/** A database of which single tables cannot be written. */
const unavailable = err({ kind: 'database_unavailable', reason: 'on demand' } as const)
const clock = { now: () => Date.now() }
const principal = {
  issuer: 'https://id.test',
  subject: 'ada',
  name: 'Ada',
  email: null,
  groups: { kind: 'known', names: [] },
} as const
const tokens = {
  idToken: 'i',
  idTokenExpiresAt: 0,
  accessToken: 'a',
  refreshToken: null,
  expiresAt: 0,
}

describe('while the audit trail cannot be written', () => {
  test('nobody is signed in, and the log says why', async () => {
    const logged: unknown[] = []
    const transaction = { state: 's'.repeat(43), nonce: 'n', codeVerifier: 'v' }
    const opened: unknown[] = []
    const transactions = createTransactionCookies({
      keyring: ephemeralKeyring(),
      clock,
      secure: true,
    })
    const signIns = createSignIns({
      grants: { open: async () => ok(''), refusalOf: () => '' },
      identity: {
        authorizationRequest: () => Promise.resolve(ok({ url: 'https://id.test/', transaction })),
        signIn: () => Promise.resolve(ok({ principal, sid: null, tokens })),
      },
      sessions: {
        open(identity) {
          opened.push(identity)
          return Promise.resolve(unavailable)
        },
      },
      usedTokens: { use: () => Promise.resolve(ok(true)) },
      transactions,
      readReturnTo: createReturnTo(new URL('https://portal.test'), []),
      audit: keptAudit({ isAway: true }).audit,
      failures: { failed: () => Promise.resolve(ok(undefined)) },
      log: (event) => void logged.push(event),
    })
    const begun = await signIns.begin('/docs', { requestId: 'r', address: null, cookies: null })
    const cookies = begun.ok ? (begun.value.setCookies[0]?.split(';')[0] ?? '') : ''
    const completed = await signIns.complete(new URLSearchParams({ state: transaction.state }), {
      requestId: 'r',
      address: null,
      userAgent: null,
      cookies,
      sessionToken: null,
    })
    expect(completed).toMatchObject({
      ok: false,
      error: { failure: unavailable.error, returnTo: '/docs' },
    })
    expect(opened).toStrictEqual([])
    expect(logged).toStrictEqual([
      { kind: 'sign_in_failed', failure: unavailable.error, requestId: 'r' },
    ])
  })
})

describe('while sessions cannot be removed', () => {
  test('a logout token of the provider fails, and may be sent again', async () => {
    const used: string[] = []
    const signOuts = createSignOuts({
      endsGrants: true,
      identity: {
        logoutUrl: () => Promise.resolve(ok(null)),
        revoke: () => Promise.resolve(ok(undefined)),
        readLogoutToken: () =>
          Promise.resolve(
            ok({
              issuer: 'https://id.test',
              subject: 'ada',
              sid: null,
              tokenId: 't',
              expiresAt: 1,
            }),
          ),
      },
      sessions: {
        end: () => Promise.resolve(unavailable),
        endPerson: () => Promise.resolve(unavailable),
      },
      usedTokens: {
        isUsed: () => Promise.resolve(ok(false)),
        use(id) {
          used.push(id)
          return Promise.resolve(ok(true))
        },
      },
      audit: { record: () => Promise.resolve(ok(undefined)) },
      failures: { failed: () => Promise.resolve(ok(undefined)) },
      log: () => {},
    })
    const ended = await signOuts.endByProvider('token', { requestId: 'r', address: null })
    expect(ended).toStrictEqual(unavailable)
    expect(used).toStrictEqual([])
  })
})
