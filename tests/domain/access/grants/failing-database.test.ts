import { expect, test } from 'bun:test'
import { createConsents } from '#src/lib/domain/access/grants/consent.ts'
import {
  familyIn,
  grantIdOf,
  newFamily,
  newGrantToken,
} from '#src/lib/domain/access/grants/grant-token.ts'
import { createGrants } from '#src/lib/domain/access/grants/grants.ts'
import type { Session } from '#src/lib/domain/access/sessions/session.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { err, ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'

const UNAVAILABLE = err({ kind: 'database_unavailable', reason: 'on demand' } as const)
const request = { requestId: 'r', address: null }

test('a program keeps its refresh token while the database cannot write the use of its grant', async () => {
  const family = newFamily()
  const refreshToken = newGrantToken('refresh', family)
  const idHash = grantIdOf(familyIn(refreshToken))
  const session: Session = {
    principal: {
      issuer: 'https://id.test',
      subject: 'ada',
      name: 'Ada',
      email: null,
      groups: { kind: 'known', names: [] },
    },
    grant: {
      kind: 'cli',
      clientId: 'portico',
      clientName: 'Portico command line',
      scopes: ['catalog:read'],
      teams: null,
      resource: 'https://portal.test',
      redirectUri: 'http://127.0.0.1/callback',
      codeChallenge: 'c'.repeat(43),
    },
    tokens: null,
    idHash,
    claimsAt: Date.now(),
    createdAt: 0,
    seenAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
  let isAway = true
  let isUsed = false
  const grants = createGrants({
    sessions: {
      openGrant: async () => ok(session),
      listGrants: async () => ok([]),
      useGrant: async () => (isAway ? UNAVAILABLE : ok(undefined)),
      reread: async () => ({ kind: 'active', session }),
      endOwn: async () => ok(true),
    },
    tokens: {
      find: async (hash) =>
        ok(isUsed ? null : { hash, grantId: idHash, kind: 'refresh', expiresAt: Date.now() + 1e6 }),
      async issue() {
        const isFirst = !isUsed
        isUsed = true
        return ok(isFirst)
      },
      sweep: async () => ok(0),
    },
    usedTokens: { use: async () => ok(true) },
    consents: createConsents(ephemeralKeyring(), systemClock),
    claims: { recent: async (same) => ok(same) },
    identity: { revoke: async () => ok(undefined) },
    audit: keptAudit().audit,
    clock: systemClock,
    findClient: async () => err({ kind: 'client_unknown' }),
    issuer: 'https://portal.test',
    resources: ['https://portal.test'],
  })
  const refresh = () =>
    grants.refresh({ refreshToken, clientId: 'portico', resource: null }, request)
  expect(await refresh()).toMatchObject({ ok: false, error: { kind: 'database_unavailable' } })
  isAway = false
  expect(await refresh()).toMatchObject({ ok: true })
})
