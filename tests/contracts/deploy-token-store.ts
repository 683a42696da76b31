import { expect, test } from 'bun:test'
import type { DeployTokenRow } from '#src/lib/ports/database/deploy-tokens.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const row = (id: string, more: Partial<DeployTokenRow> = {}): DeployTokenRow => ({
  id,
  hash: `hash of ${id}`,
  repository: 'acme/gitops',
  name: 'argo-cd',
  access: 'read',
  createdAt: Date.UTC(2026, 10, 28),
  subject: 'priya',
  personName: 'Priya Ü',
  lastUsedAt: null,
  ...more,
})

/** `place` gives an empty place. */
export function deployTokenStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  test(`${name} keeps the DeployTokenStore contract`, async () => {
    await using at = await place()
    const database = valueOf(await at.open())
    const tokens = database.deployTokens
    const [one, two, other] = [
      row('1'),
      row('2', { access: 'write', lastUsedAt: 5 }),
      row('3', { repository: 'acme/shop' }),
    ]
    for (const each of [one, two, other]) valueOf(await tokens.insert(each))
    expect(valueOf(await tokens.list('acme/gitops'))).toStrictEqual([two, one])
    expect(valueOf(await tokens.find('hash of 3'))).toStrictEqual(other)
    expect(valueOf(await tokens.find('hash of 4'))).toBeNull()
    expect((await tokens.insert(row('4', { hash: one.hash }))).ok).toBe(false)

    const unknown = row('5', { repository: 'acme/shop' })
    valueOf(await tokens.insert(Object.assign({ ...unknown }, { access: 'admin' })))
    expect(valueOf(await tokens.find(unknown.hash))).toStrictEqual(unknown)

    for (const at of [7, 3]) valueOf(await tokens.touch('1', at))
    expect(valueOf(await tokens.find(one.hash))?.lastUsedAt).toBe(7)
    expect(valueOf(await tokens.find(two.hash))?.lastUsedAt).toBe(5)

    expect(valueOf(await tokens.remove('acme/shop', '1'))).toBe(false)
    expect(valueOf(await tokens.remove('acme/gitops', '1'))).toBe(true)
    expect(valueOf(await tokens.remove('acme/gitops', '1'))).toBe(false)
    expect(valueOf(await tokens.list('acme/gitops'))).toStrictEqual([two])
    await database.close()
  })
}
