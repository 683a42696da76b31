import { expect, test } from 'bun:test'
import { ABSENT, createApplications } from '#src/lib/domain/promotion/application.ts'
import { AppName, ObjectId, TeamName } from '#src/lib/names.ts'
import type { DirectoryAtCommit, MergeSides } from '#src/lib/ports/git-host.ts'
import { ok } from '#src/lib/result.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { GITOPS } from '#tests/support/portal.ts'

const SHOP = { team: TeamName.of('payments'), app: AppName.of('shop') }
const id = (number: number) => ObjectId.of(number.toString(16).padStart(40, '0'))

test('merges of an application are kept, and forgotten when its branches have moved on', async () => {
  const merged: ObjectId[] = []
  const gitHost = {
    listFiles: async (_: unknown, { tree = id(0) }: DirectoryAtCommit) =>
      ok({ tree, files: [], skipped: [] }),
    async *readFiles() {},
    async merge(_: unknown, { theirs }: MergeSides) {
      merged.push(theirs)
      return ok({ kind: 'clean', tree: theirs } as const)
    },
  }
  const applications = createApplications({ gitHost, repository: GITOPS }, pipelineOf())
  const onMain = { ...SHOP, application: ABSENT }
  const readAt = (head: number) => applications.merged({ ours: id(1), theirs: id(head) }, onMain)
  await readAt(2)
  await readAt(2)
  expect(merged).toHaveLength(1)
  for (let head = 3; head <= 100; head++) await readAt(head)
  await readAt(100)
  expect(merged).toHaveLength(99)
  await readAt(2)
  expect(merged).toHaveLength(100)
})
