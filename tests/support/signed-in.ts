import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { parseKeys } from '#src/lib/crypto/keyring.ts'
import { createSessions } from '#src/lib/domain/access/sessions/sessions.ts'
import type { IdentityTokens } from '#src/lib/ports/identity.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { SESSION_KEYS } from './installation.ts'

/** The cookies of persons `s0`, `s1` and so on, who have signed in at a service with this database. */
export async function signedIn(
  databaseUrl: string,
  persons: number,
  tokens: IdentityTokens | null = null,
): Promise<readonly string[]> {
  const keyring = valueOf(parseKeys(SESSION_KEYS))
  const database = valueOf(await openDatabase(databaseUrl))
  const sessions = createSessions({
    store: database.sessions,
    keyring: keyring,
    clock: systemClock,
    log: () => {},
    idleSeconds: 3600,
    absoluteSeconds: 36_000,
  })
  const cookies: string[] = []
  for (let index = 0; index < persons; index += 1) {
    const groups = { kind: 'known', names: ['payments'] } as const
    const opened = await sessions.open({
      principal: { issuer: 'i', subject: `s${index}`, name: `S${index}`, email: null, groups },
      sid: null,
      tokens,
      address: null,
      userAgent: null,
    })
    cookies.push(`portal_session=${valueOf(opened).token}`)
  }
  await database.close()
  return cookies
}
