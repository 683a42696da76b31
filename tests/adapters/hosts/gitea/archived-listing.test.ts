import { expect, test } from 'bun:test'
import { packTar } from 'modern-tar'
import { listArchive } from '#src/lib/adapters/hosts/gitea/git/archived-listing.ts'
import { createKeptObjects } from '#src/lib/adapters/hosts/hosted/objects/kept-objects.ts'
import { ok } from '#src/lib/result.ts'
import { oid, repositoryId } from '#tests/contracts/git-host.ts'

test('an archive with a path deeper than a stack is no listing', async () => {
  const name = `gitops/${'a/'.repeat(100_000)}x`
  const tar = await packTar([{ header: { name, size: 0 }, body: '' }])
  const body = new Blob([Bun.gzipSync(tar)]).stream()
  const client = { open: async () => ok({ status: 200, headers: new Headers(), body }) }
  const whole = { commit: oid('c'.repeat(40)), directory: null, tree: oid('d'.repeat(40)) }
  const means = { client, kept: createKeptObjects() }
  expect(await listArchive(means, repositoryId('acme', 'gitops'), whole)).toBeNull()
})
