import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { type Authorship, createClaims } from '#src/lib/domain/promotion/secret-claims.ts'
import { AppName, EnvironmentName, secretPath, TeamName } from '#src/lib/names.ts'
import type { Database } from '#src/lib/ports/database.ts'
import { ok } from '#src/lib/result.ts'
import { ephemeralKeyring } from '#tests/support/ephemeral-keyring.ts'

const OURS = { K: 'ours' }
const THEIRS = { K: 'theirs' }
const keyring = ephemeralKeyring()
const clock = { now: () => 0 }

let database: Database
let paths = 0
beforeAll(async () => {
  const opened = await openDatabase('sqlite::memory:')
  if (!opened.ok) throw new Error(opened.error.reason)
  database = opened.value
})
afterAll(() => database.close())

/** The claims of a path of its own. */
function open() {
  paths += 1
  const path = secretPath(
    TeamName.of('payments'),
    AppName.of(`shop-${paths}`),
    EnvironmentName.of('dev'),
  )
  const claims = createClaims({ writes: database.secretWrites, keyring, clock })
  const of = (values: { readonly K: string }) => {
    const write = { path, values }
    return {
      claim: async (version: number, hasKeys = false) => {
        const before = await claims.claim(write, version, hasKeys)
        if (!before.ok) throw new Error(before.error.reason)
        return before.value
      },
      /** As after a merge that nobody disturbed. */
      write: async (version: number) =>
        claims.confirm(write, version, await claims.claim(write, version, false).then(valueOf)),
      confirm: (version: number, before: Parameters<typeof claims.confirm>[2] = null) =>
        claims.confirm(write, version, before),
      contest: (version: number) => claims.contest(write, version),
      authorship: async (version: number) => valueOf(await claims.authorship(write, version)),
    }
  }
  return { path, ours: of(OURS), theirs: of(THEIRS) }
}

function valueOf<Value>(result: { ok: true; value: Value } | { ok: false; error: object }): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

type Claims = ReturnType<typeof open>

/** Steps at version 3, then what both writes are told of it. */
const cases: Readonly<
  Record<
    string,
    {
      readonly steps: readonly ((claims: Claims) => Promise<unknown>)[]
      readonly ours: Authorship
      readonly theirs: Authorship
    }
  >
> = {
  'nobody claimed it': { steps: [], ours: 'unknown', theirs: 'unknown' },
  'we claimed it': {
    steps: [({ ours }) => ours.claim(3)],
    ours: 'claimed',
    theirs: 'unknown',
  },
  'we claimed it twice': {
    steps: [({ ours }) => ours.claim(3), ({ ours }) => ours.claim(3)],
    ours: 'claimed',
    theirs: 'unknown',
  },
  'both claimed it': {
    steps: [({ theirs }) => theirs.claim(3), ({ ours }) => ours.claim(3)],
    ours: 'contested',
    theirs: 'contested',
  },
  'both claimed it, and we again': {
    steps: [
      ({ ours }) => ours.claim(3),
      ({ theirs }) => theirs.claim(3),
      ({ ours }) => ours.claim(3),
    ],
    ours: 'contested',
    theirs: 'contested',
  },
  'we claimed it over our own keys': {
    steps: [({ ours }) => ours.claim(3, true)],
    ours: 'contested',
    theirs: 'contested',
  },
  'we claimed it and lost it': {
    steps: [({ ours }) => ours.claim(3), ({ ours }) => ours.contest(3)],
    ours: 'contested',
    theirs: 'contested',
  },
  'they claimed it, and we lost it before they merged': {
    steps: [({ theirs }) => theirs.claim(3), ({ ours }) => ours.contest(3)],
    ours: 'unknown',
    theirs: 'claimed',
  },
  'we wrote it': { steps: [({ ours }) => ours.write(3)], ours: 'ours', theirs: 'unknown' },
  'we wrote it, contested before we confirmed': {
    steps: [
      ({ ours }) => ours.claim(3),
      ({ theirs }) => theirs.claim(3),
      ({ ours }) => ours.contest(3),
      ({ ours }) => ours.confirm(3),
    ],
    ours: 'ours',
    theirs: 'unknown',
  },
  'we wrote it, and both come late': {
    steps: [
      ({ ours }) => ours.write(3),
      ({ theirs }) => theirs.claim(3),
      ({ theirs }) => theirs.contest(3),
      ({ ours }) => ours.claim(3),
      ({ ours }) => ours.contest(3),
    ],
    ours: 'ours',
    theirs: 'unknown',
  },
  'we wrote it, and they claim the next': {
    steps: [({ ours }) => ours.write(3), ({ theirs }) => theirs.claim(4)],
    ours: 'unknown',
    theirs: 'unknown',
  },
  'we claimed it, and the claim of a version before it comes late': {
    steps: [
      ({ ours }) => ours.claim(3),
      ({ theirs }) => theirs.claim(2),
      ({ theirs }) => theirs.contest(2),
    ],
    ours: 'claimed',
    theirs: 'unknown',
  },
}

describe('a version is known by its claims', () => {
  test.each(Object.entries(cases))('when %s', async (_, { steps, ours, theirs }) => {
    const claims = open()
    for (const step of steps) await step(claims)
    expect(await claims.ours.authorship(3)).toBe(ours)
    expect(await claims.theirs.authorship(3)).toBe(theirs)
    expect(await claims.ours.authorship(2)).toBe('unknown')
  })

  test('a confirmation that comes late leaves the claim of a later version', async () => {
    const { ours, theirs } = open()
    const before = await ours.claim(3)
    await theirs.claim(4)
    await ours.confirm(3, before)
    expect(await ours.authorship(3)).toBe('unknown')
    expect(await theirs.authorship(4)).toBe('claimed')
  })

  test('a store that counts anew, after a purge or a move, is followed', async () => {
    const { ours, theirs } = open()
    await theirs.write(7)
    const before = await ours.claim(0)
    expect(await theirs.authorship(7)).toBe('ours')
    await ours.confirm(0, before)
    expect(await ours.authorship(0)).toBe('ours')
    await theirs.write(0)
    expect(await theirs.authorship(0)).toBe('ours')
    expect(await ours.authorship(0)).toBe('unknown')
  })

  test('a digest without its key tells nothing, and is no obstacle', async () => {
    const { path, ours } = open()
    const retired = createClaims({
      writes: database.secretWrites,
      keyring: ephemeralKeyring(),
      clock,
    })
    const write = { path, values: OURS }
    await retired.claim(write, 3, false)
    expect(await ours.authorship(3)).toBe('unknown')
    await ours.write(3)
    expect(await ours.authorship(3)).toBe('ours')
    expect(await retired.authorship(write, 3)).toStrictEqual(ok('unknown'))
  })

  test('a change that loses every round is a failure', async () => {
    const { path } = open()
    const claims = createClaims({
      writes: { find: async () => ok(null), replace: async () => ok(false) },
      keyring,
      clock,
    })
    expect(await claims.claim({ path, values: OURS }, 0, false)).toMatchObject({
      ok: false,
      error: { kind: 'database_unavailable' },
    })
  })
})
