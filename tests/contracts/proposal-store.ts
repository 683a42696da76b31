import { expect, test } from 'bun:test'
import { type DatabasePlace, valueOf } from './database.ts'

/** `place` gives an empty place. */
export function proposalStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  test(`${name} keeps the ProposalStore contract: rows stay until they are removed`, async () => {
    await using at = await place()
    const one = valueOf(await at.open())
    const rows = ['1', '2', '3'].map((id) => ({ id, content: `{"text":"é \\n ${id}"}` }))
    for (const row of rows.toReversed()) valueOf(await one.proposals.note(row))
    await one.close()

    const two = valueOf(await at.open())
    const { proposals } = two
    expect(valueOf(await proposals.list(10))).toStrictEqual(rows)
    expect(valueOf(await proposals.list(2))).toStrictEqual(rows.slice(0, 2))
    valueOf(await proposals.remove('2'))
    valueOf(await proposals.remove('unknown'))
    expect(valueOf(await proposals.list(10)).map(({ id }) => id)).toStrictEqual(['1', '3'])
    await two.close()
  })
}
