import { describe, expect, test } from 'bun:test'
import { createSecretActors } from '#src/lib/domain/access/secret-actor.ts'
import type { SessionTokens } from '#src/lib/domain/access/sessions/session-credentials.ts'
import type { Session } from '#src/lib/domain/access/sessions/session.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { err, ok } from '#src/lib/result.ts'

const REQUEST = { requestId: 'r', address: null }
const session = {} as Session

function open(knowsPersons: boolean, answer: Awaited<ReturnType<SessionTokens['current']>>) {
  const asked: unknown[] = []
  const sessionTokens: SessionTokens = {
    async current(...args) {
      asked.push(args)
      return answer
    },
  }
  return { asked, actors: createSecretActors({ knowsPersons }, sessionTokens) }
}

const TOKENS = {
  idToken: 'id',
  idTokenExpiresAt: 1_000,
  accessToken: 'access',
  expiresAt: 2_000,
  refreshToken: null,
}

describe('the actor of a request', () => {
  test('is the service at a store that knows no persons, and no token is looked at', async () => {
    const { actors, asked } = open(false, err({ kind: 'identity_token_missing' }))
    expect(await actors.of(session, REQUEST)).toStrictEqual(
      ok({ actor: SERVICE, endsAt: Number.POSITIVE_INFINITY }),
    )
    expect(asked).toStrictEqual([])
  })

  test('is the person with the current ID token, until that ends', async () => {
    const { actors, asked } = open(true, ok(TOKENS))
    expect(await actors.of(session, REQUEST)).toStrictEqual(
      ok({ actor: { kind: 'person', idToken: 'id' }, endsAt: 1_000 }),
    )
    expect(asked).toStrictEqual([[session, 'idToken', REQUEST]])
  })

  test.each([
    [
      { kind: 'identity_token_missing' },
      { kind: 'secret_store_unauthorized', what: 'the session has no valid ID token' },
    ],
    [{ kind: 'identity_rejected' }, { kind: 'session_invalid' }],
  ] as const)(
    'is nobody without a sign-in that the store could accept: %p',
    async (failure, expected) => {
      const { actors } = open(true, err(failure))
      expect(await actors.of(session, REQUEST)).toStrictEqual(err(expected))
    },
  )

  test.each([
    { kind: 'identity_timeout' },
    { kind: 'database_unavailable', reason: 'SQLITE_BUSY' },
  ] as const)('is unknown while %p', async (failure) => {
    const { actors } = open(true, err(failure))
    expect(await actors.of(session, REQUEST)).toStrictEqual(err(failure))
  })
})
