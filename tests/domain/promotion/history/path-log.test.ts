import { expect, test } from 'bun:test'
import { COMMITS_MAX, createPathLog } from '#src/lib/domain/promotion/history/path-log.ts'
import { ObjectId, RepositoryPath } from '#src/lib/names.ts'
import { ok } from '#src/lib/result.ts'
import { GITOPS } from '#tests/support/portal.ts'

test.each([1, 2])('a history without an end is read to its bound, of %d folders', async (count) => {
  const pages: number[] = []
  const log = createPathLog(
    {
      async listPathCommits(_, { page = 1 }) {
        pages.push(page)
        const commits = Array.from({ length: 50 }, (_, index) => ({
          id: ObjectId.of((page * 50 + index).toString(16).padStart(40, '0')),
          message: 'm',
          parents: [],
          authorName: null,
          committedAt: null,
        }))
        return ok({ commits, nextPage: page + 1 })
      },
    },
    GITOPS,
  )
  const paths = ['prod', 'production'].slice(0, count).map((path) => RepositoryPath.of(path))
  const read = await Array.fromAsync(log.read(ObjectId.of('0'.repeat(40)), paths))
  expect(read.length).toBe(COMMITS_MAX)
  expect(Math.max(...pages)).toBe(COMMITS_MAX / 50)
})
