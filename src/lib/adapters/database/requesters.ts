import type { RequesterRow, RequesterStore } from '../../ports/database/requesters.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

const toRow = rowOf<RequesterRow>({ number: true, openedAt: true })

export function createRequesterStore(engine: Engine): RequesterStore {
  const { all, changed, done } = statementsOf(engine)
  return {
    note: ({ repository, number, openedAt, subject, name }) =>
      done(
        (sql) => sql`
        INSERT INTO pull_request_asker (repository, number, opened_at, subject, name)
        VALUES (${repository}, ${number}, ${openedAt}, ${subject}, ${name})
        ON CONFLICT (repository, number, opened_at) DO NOTHING`,
      ),

    async find(repository, numbers) {
      if (numbers.length === 0) return ok([])
      return all(
        (sql) => sql<Stored<RequesterRow>[]>`
        SELECT repository, number, opened_at AS "openedAt", subject, name FROM pull_request_asker
        WHERE repository = ${repository} AND number IN ${sql(numbers)}`,
        toRow,
      )
    },

    removeBefore: (openedAt) =>
      changed((sql) => sql`DELETE FROM pull_request_asker WHERE opened_at < ${openedAt}`),
  }
}
