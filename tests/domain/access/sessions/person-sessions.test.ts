import { describe, expect, test } from 'bun:test'
import { createPersonSessions } from '#src/lib/domain/access/sessions/person-sessions.ts'
import type { Principal } from '#src/lib/ports/identity.ts'
import { err, ok } from '#src/lib/result.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { ada, MINUTE, T0, world } from './token-world.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'

const CAUSE = { requestId: 'r-1', address: '192.0.2.7' }
const NOT_FOUND = err({ kind: 'session_not_found' })
const AWAY = { error: { kind: 'database_unavailable' } }
const priya: Principal = {
  ...ada,
  subject: 'priya',
  name: 'Priya',
  groups: { kind: 'known', names: ['platform-team'] },
}

/** Sessions of Ada and of Priya of the platform team, and an audit trail that may be away. */
async function people() {
  const at = await world()
  const trail = keptAudit()
  const sessions = at.newSessions()
  const signIn = async (principal: Principal, userAgent: string | null = null) =>
    valueOf(
      await sessions.open({
        principal,
        sid: null,
        tokens: null,
        address: '198.51.100.1',
        userAgent,
      }),
    )
  return {
    ...at,
    sessions,
    signIn,
    recorded: trail.entries,
    trail: trail.state,
    own: createPersonSessions(sessions, trail.audit, 'platform-team'),
    isActive: async (token: string) => (await sessions.resolve(token)).kind === 'active',
  }
}

describe('the sessions of a person', () => {
  test('are their own living ones, newest first, with the browser of each', async () => {
    await using at = await people()
    await at.signIn(priya)
    at.clock.at = T0 + MINUTE
    const second = await at.signIn(ada, 'Firefox')
    const listed = valueOf(await at.own.list(ada))
    expect(listed.map(({ idHash }) => idHash)).toStrictEqual([
      second.session.idHash,
      at.session.idHash,
    ])
    expect(listed[0]).toStrictEqual({
      idHash: second.session.idHash,
      kind: 'browser',
      issuer: ada.issuer,
      subject: 'ada',
      sid: null,
      createdAt: T0 + MINUTE,
      seenAt: T0 + MINUTE,
      expiresAt: T0 + MINUTE + 36_000_000,
      address: '198.51.100.1',
      userAgent: 'Firefox',
    })
    at.clock.at = T0 + 36_000_000
    expect(valueOf(await at.own.list(ada))).toHaveLength(1)
  })

  test('of a namesake at another provider are not theirs', async () => {
    await using at = await people()
    const namesake = await at.signIn({ ...ada, issuer: 'https://other.example' })
    expect(valueOf(await at.own.list(ada))).toHaveLength(1)
    const { idHash } = namesake.session
    expect(await at.own.end(at.session, idHash, CAUSE)).toStrictEqual(NOT_FOUND)
    expect(await at.own.endOthers(at.session, CAUSE)).toStrictEqual(ok(0))
    expect(await at.own.revoke((await at.signIn(priya)).session, 'ada', CAUSE)).toStrictEqual(ok(1))
    expect(await at.isActive(namesake.token)).toBe(true)
  })

  test('keep no more of a user agent than a browser sends', async () => {
    await using at = await people()
    await at.signIn(priya, 'x'.repeat(10_000))
    const [listed] = valueOf(await at.own.list(priya))
    expect(listed?.userAgent).toBe('x'.repeat(256))
  })
})

describe('signing out', () => {
  test('works without the audit trail', async () => {
    await using at = await people()
    at.trail.isAway = true
    const { session } = await at.signIn(ada)
    expect(await at.own.end(at.session, session.idHash, CAUSE)).toStrictEqual(ok(undefined))
  })
})

describe('ending somebody’s sessions', () => {
  test('is for the platform team, on record with the number', async () => {
    await using at = await people()
    const platform = await at.signIn(priya)
    const second = await at.signIn(ada)
    expect(await at.own.revoke(platform.session, 'ada', CAUSE)).toStrictEqual(ok(2))
    for (const token of [at.token, second.token]) expect(await at.isActive(token)).toBe(false)
    expect(await at.isActive(platform.token)).toBe(true)
    expect(at.recorded() as object[]).toStrictEqual([
      {
        ...CAUSE,
        by: 'priya',
        team: null,
        code: null,
        groups: ['platform-team'],
        revision: null,
        action: 'session.revoke',
        target: 'person/ada',
        result: 'done',
        details: { ended: 2 },
      },
    ])
  })

  test('does not happen without the row that announces it', async () => {
    await using at = await people()
    const platform = await at.signIn(priya)
    at.trail.isAway = true
    expect(await at.own.revoke(platform.session, 'ada', CAUSE)).toMatchObject(AWAY)
    expect(await at.isActive(at.token)).toBe(true)
  })
})
