import { expect, test } from 'bun:test'
import type { RequesterRow } from '#src/lib/ports/database/requesters.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** More than 32 bits. */
const T0 = Date.UTC(2026, 10, 21)

const row = (facts: Partial<RequesterRow> = {}): RequesterRow => ({
  repository: 'acme/gitops',
  number: 42,
  openedAt: T0,
  subject: "O'Brien; DROP TABLE session -- ünï",
  name: 'Dana "D" Developer',
  ...facts,
})

const inOrder = (rows: readonly RequesterRow[]) =>
  rows.toSorted((one, other) => one.number - other.number || one.openedAt - other.openedAt)

/** `place` gives an empty place. */
export function requesterStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  test(`${name} keeps the RequesterStore contract`, async () => {
    await using at = await place()
    const one = valueOf(await at.open())
    const again = row({ openedAt: T0 + 1, subject: 'dana' })
    const later = row({ number: 43, openedAt: T0 + 2 })
    for (const each of [row(), again, later, row({ repository: 'acme/other' })]) {
      valueOf(await one.requesters.note(each))
    }
    // Two replicas can note one pull request.
    valueOf(await one.requesters.note(row({ subject: 'mallory', name: 'Mallory' })))
    await one.close()

    const two = valueOf(await at.open())
    const { requesters } = two
    const find = async (...numbers: number[]) =>
      inOrder(valueOf(await requesters.find('acme/gitops', numbers)))
    expect(await find(42, 43, 44)).toStrictEqual([row(), again, later])
    expect(await find(43)).toStrictEqual([later])
    expect(await find()).toStrictEqual([])
    expect(valueOf(await requesters.removeBefore(T0 + 1))).toBe(2)
    expect(await find(42, 43)).toStrictEqual([again, later])
    await two.close()
  })
}
