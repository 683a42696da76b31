import { expect, test } from 'bun:test'
import type { ObjectId, RepositoryId } from '#src/lib/names.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { AUTHOR, BYTES_MAX, MAIN, path, value, write } from '#tests/contracts/git-host.ts'
import { openFake } from './open-gitea.ts'

const ENTITIES = 10_000

/** What the catalog asks for: the head, and the files that changed since. Answers how many files it read. */
function createCatalog(host: GitHost, repository: RepositoryId) {
  let loaded: ObjectId | null = null
  const known = new Set<ObjectId>()
  return async (): Promise<number> => {
    const { commit } = value(await host.head(repository))
    if (commit === loaded) return 0
    const at = { commit, directory: path('catalog') }
    const { files } = value(await host.listFiles(repository, at))
    const missing = files.filter(({ blob }) => !known.has(blob))
    for await (const read of host.readFiles(repository, commit, missing, BYTES_MAX)) {
      known.add(value(read).blob)
    }
    loaded = commit
    return missing.length
  }
}

test('10,000 entities take 6 requests, an unchanged catalog 1, a changed file 5', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const files = Array.from({ length: ENTITIES }, (_, index) => {
    const content = `name: entity-${index}\n`
    return `M 100644 inline catalog/team-${index % 100}/entity-${index}.yaml\ndata ${content.length}\n${content}\n`
  })
  await fixture.git(
    ['fast-import', '--quiet', '--force'],
    `commit refs/heads/main\ncommitter A <a@b> 1 +0000\ndata 4\nmany\n${files.join('')}\n`,
  )
  await fixture.git(['push', '--quiet', '--force', fixture.remote, 'refs/heads/main'])
  const load = createCatalog(host, repository)
  const requests = async () => {
    gitea.arrivals.splice(0)
    return [await load(), gitea.arrivals.map(({ name }) => name)] as const
  }
  const commit = async (file: string) => {
    const { commit: expected } = value(await host.head(repository))
    const request = {
      branch: MAIN,
      from: { kind: 'advance', expected } as const,
      changes: [write(file, 'name: another\n')],
      message: 'Change',
      author: AUTHOR,
    }
    value(await host.commit(repository, request))
  }

  const [read, first] = await requests()
  expect(read).toBe(ENTITIES)
  expect(first.length).toBeLessThanOrEqual(6)
  expect(await requests()).toStrictEqual([0, ['repoListGitRefs']])

  await commit('catalog/team-1/entity-1.yaml')
  const [changed, second] = await requests()
  expect(changed).toBe(1)
  expect(second.length).toBeLessThanOrEqual(5)

  await commit('apps/overlay.yaml')
  const [untouched, third] = await requests()
  expect(untouched).toBe(0)
  expect(third.length).toBeLessThanOrEqual(4)
})
