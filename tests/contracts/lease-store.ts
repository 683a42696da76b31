import { expect, test } from 'bun:test'
import { type DatabasePlace, valueOf } from './database.ts'

const NAME = 'promotion/payments/shop/dev'
const ONE = { holder: 'one', until: 10 }
const TWO = { holder: 'two', until: 20 }
const taken = (work: string | null = null) => ({ kind: 'taken', work }) as const
const held = (lease: typeof ONE) => ({ kind: 'held', lease }) as const

/** `place` gives an empty place. */
export function leaseStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  const testOf = (what: string, body: (at: DatabasePlace) => Promise<void>) =>
    test(`${name} keeps the LeaseStore contract: ${what}`, async () => {
      await using at = await place()
      await body(at)
    })

  testOf('one of many takes a lease, and the next one after it ended', async (at) => {
    await using database = await opened(at)
    const { take, release } = database
    const holders = Array.from({ length: 8 }, (_, index) => ({ holder: `${index}`, until: 1 }))
    const takings = await Promise.all(holders.map((lease) => take(NAME, lease)))
    expect(takings.filter(({ kind }) => kind === 'taken')).toHaveLength(1)
    const holder = String(takings.findIndex(({ kind }) => kind === 'taken'))
    await release(NAME, TWO.holder)
    expect(await take(NAME, TWO)).toStrictEqual(held({ holder, until: 1 }))
    expect(await take('promotion/payments/till/dev', TWO)).toStrictEqual(taken())
    await release(NAME, holder)
    expect(await take(NAME, TWO)).toStrictEqual(taken())
  })

  testOf('a lease is taken over as it was seen, and not after a renewal', async (at) => {
    await using database = await opened(at)
    const { take, renew } = database
    await take(NAME, ONE)
    await renew(NAME, ONE)
    const renewed = { ...ONE, until: 11 }
    expect(await take(NAME, TWO, ONE)).toStrictEqual(held(renewed))
    await renew(NAME, { holder: 'three', until: 30 })
    expect(await take(NAME, TWO, renewed)).toStrictEqual(taken())
    expect(await take(NAME, ONE, renewed)).toStrictEqual(held(TWO))
  })

  testOf('whoever takes a lease over has the work that was noted until then', async (at) => {
    await using database = await opened(at)
    const { take, note, release } = database
    for (let round = 0; round < 200; round += 1) {
      const name = `promotion/${round}`
      await take(name, ONE)
      const [taking, isNoted] = await Promise.all([
        take(name, TWO, ONE),
        note(name, ONE.holder, 'work'),
      ])
      expect(taking).toStrictEqual(taken(isNoted ? 'work' : null))
      await release(name, TWO.holder)
    }
  })

  testOf('unfinished work stays until it is done, after a restart too', async (at) => {
    const work = '{"text":"é \\n"}'
    {
      await using database = await opened(at)
      await database.take(NAME, ONE)
      expect(await database.note(NAME, ONE.holder, work)).toBe(true)
      expect(await database.note(NAME, TWO.holder, 'other')).toBe(false)
    }
    await using database = await opened(at)
    const { take, note, release, listUnfinished } = database
    expect(await listUnfinished(10)).toStrictEqual([{ name: NAME, lease: ONE }])
    await release(NAME, ONE.holder)
    expect(await listUnfinished(10)).toStrictEqual([{ name: NAME, lease: null }])
    expect(await listUnfinished(0)).toStrictEqual([])
    expect(await take(NAME, TWO)).toStrictEqual(taken(work))
    expect(await note(NAME, TWO.holder, null)).toBe(true)
    expect(await listUnfinished(10)).toStrictEqual([])
    await release(NAME, TWO.holder)
    expect(await take(NAME, ONE)).toStrictEqual(taken())
  })
}

async function opened(at: DatabasePlace) {
  const database = valueOf(await at.open())
  const { leases } = database
  return {
    take: async (name: string, lease: typeof ONE, seen: typeof ONE | null = null) =>
      valueOf(await leases.take(name, lease, seen)),
    renew: async (name: string, lease: typeof ONE) => valueOf(await leases.renew(name, lease)),
    note: async (...args: Parameters<typeof leases.note>) => valueOf(await leases.note(...args)),
    release: async (name: string, holder: string) => valueOf(await leases.release(name, holder)),
    listUnfinished: async (limit: number) => valueOf(await leases.listUnfinished(limit)),
    [Symbol.asyncDispose]: () => database.close(),
  }
}
