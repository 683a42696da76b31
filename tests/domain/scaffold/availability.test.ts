import { expect, test } from 'bun:test'
import { hasFile } from '#src/lib/domain/scaffold/availability.ts'
import { ObjectId } from '#src/lib/names.ts'
import { ok } from '#src/lib/result.ts'
import { GITOPS, path } from '#tests/support/portal.ts'

test('a file that the git host does not answer with does not exist', async () => {
  const silent = { async *readFiles() {} }
  const commit = ObjectId.of('0'.repeat(40))
  expect(await hasFile(silent, GITOPS, commit, path('catalog/x.yaml'))).toStrictEqual(ok(false))
})
