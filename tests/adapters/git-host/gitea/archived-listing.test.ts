import { expect, test } from 'bun:test'
import { createListArchive } from '#src/lib/adapters/git-host/gitea/archived-listing.ts'
import type { ReadArchiveOf } from '#src/lib/adapters/git-host/gitea/archives.ts'
import { ok } from '#src/lib/result.ts'
import { oid, repositoryId } from '#tests/contracts/git-host.ts'

test('an archive with a path deeper than a stack is no listing', async () => {
  // oxlint-disable-next-line require-await
  const archive: ReadArchiveOf = async function* archive() {
    yield ok({ path: `${'a/'.repeat(100_000)}x`, executable: false, bytes: new Uint8Array() })
  }
  const list = createListArchive(archive, { keepBlob() {} })
  const commit = oid('c'.repeat(40))
  const whole = { commit, directory: null }
  expect(await list(repositoryId('acme', 'gitops'), whole, oid('d'.repeat(40)))).toBeNull()
})
