import { expect, test } from 'bun:test'
import { addsOnly } from '#src/lib/domain/gitops/adds-only.ts'
import { openLocal } from '#tests/adapters/hosts/open-local.ts'
import { AUTHOR, branch, path, value, write } from '#tests/contracts/git-host.ts'
import { plantPaths } from '#tests/support/plant-paths.ts'

const FILES_MAX = 100

test('a branch has exactly its files, or has not, beside a hundred million paths that are not its own', async () => {
  await using fixture = await openLocal()
  const { host, repository, bare } = fixture
  await plantPaths(bare, 'catalog', 'bomb')
  const { commit: base } = value(await host.head(repository))
  const ours = write('catalog/new/a.yaml', 'a: 1\n')
  const isOurs = async (name: string, ...changes: readonly ReturnType<typeof write>[]) => {
    const request = {
      branch: branch(name),
      from: { kind: 'create', parent: base },
      changes,
      message: 'Add',
      author: AUTHOR,
    } as const
    const { commit: head } = value(await host.commit(repository, request))
    return value(await addsOnly(host, repository, { base, head }, [ours], FILES_MAX))
  }
  expect(await isOurs('same', ours)).toBe(true)
  expect(await isOurs('other', { ...ours, path: path('catalog/b.yaml') })).toBe(false)
  expect(await isOurs('changed', write(ours.path, 'a: 2\n'))).toBe(false)
  expect(await isOurs('more', ours, write('z.yaml', ''))).toBe(false)
  // Nobody can tell what else is new in there.
  expect(await isOurs('inside', ours, write('catalog/bomb/z.yaml', ''))).toBe(false)
  expect(await isOurs('deep', ours, write('catalog/bomb/0.yaml/0.yaml/z.yaml', ''))).toBe(false)
})
