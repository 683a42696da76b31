import type { ProposalRow, ProposalStore } from '../../ports/database/proposals.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

export const createProposalStore = (engine: Engine): ProposalStore => ({
  async note({ id, content }) {
    const noted = await engine.run(
      (sql) => sql`INSERT INTO proposal (id, content) VALUES (${id}, ${content})`,
    )
    return noted.ok ? ok(undefined) : noted
  },

  async remove(id) {
    const removed = await engine.run((sql) => sql`DELETE FROM proposal WHERE id = ${id}`)
    return removed.ok ? ok(undefined) : removed
  },

  async list(limit) {
    const listed = await engine.run(
      (sql) => sql<ProposalRow[]>`SELECT id, content FROM proposal ORDER BY id LIMIT ${limit}`,
    )
    return listed.ok ? ok(listed.value.map(({ id, content }) => ({ id, content }))) : listed
  },
})
