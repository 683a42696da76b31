import { expect, test } from 'bun:test'
import { createTrees } from '#src/lib/adapters/git-host/github/git/trees.ts'
import { createKnownRepositories } from '#src/lib/adapters/git-host/hosted/known-repositories.ts'
import { createKeptObjects } from '#src/lib/adapters/git-host/hosted/objects/kept-objects.ts'
import type { HostClient } from '#src/lib/adapters/git-host/hosted/api/client.ts'
import { ObjectId } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { ok } from '#src/lib/result.ts'
import { path, repositoryId, value } from '#tests/contracts/git-host.ts'

const id = (digit: string) => ObjectId.of(digit.repeat(40))
const [COMMIT, ROOT, CATALOG] = [id('1'), id('2'), id('3')]
const [GOOD, BOMB, FILE] = [id('4'), id('5'), id('6')]
const repository = repositoryId('acme', 'gitops')

const folder = (name: string, tree = BOMB) => ({
  path: name,
  mode: '040000',
  type: 'tree',
  sha: tree,
})
const file = (name: string) => ({ path: name, mode: '100644', type: 'blob', sha: FILE, size: 4 })
const contents = new Map([
  [ROOT, [folder('catalog', CATALOG)]],
  [CATALOG, [folder('bomb'), folder('good', GOOD), file('a.yaml')]],
  [GOOD, [file('b.yaml')]],
  [BOMB, Array.from({ length: 10 }, (_, index) => folder(`${index}`))],
])

/** Every listing but that of the ordinary folder is too long to come whole. */
function open() {
  let requests = 0
  const client: Pick<HostClient, 'read'> = {
    async read(url, options) {
      requests += 1
      const answer = (json: unknown) => ok({ status: 200, headers: new Headers(), json })
      const sha = url.slice(url.lastIndexOf('/') + 1)
      if (url.includes('/git/commits/')) {
        return answer({ sha, tree: { sha: ROOT }, parents: [], message: '' })
      }
      const tree = [...contents.keys()].find((known) => known === sha)
      if (tree === undefined) {
        return answer({
          full_name: 'acme/gitops',
          default_branch: 'main',
          html_url: 'https://x.example',
        })
      }
      const truncated = options?.query !== undefined && tree !== GOOD
      return answer({ sha, truncated, tree: contents.get(tree) })
    },
  }
  return { client, requests: () => requests }
}

test('a folder without an end is left out and named after a hundred folders', async () => {
  const { client, requests } = open()
  const known = createKnownRepositories(client, systemClock, {
    failureOf: () => ({ kind: 'git_host_unreachable' }),
    see: '',
    read: '',
  })
  const trees = createTrees(client, known, createKeptObjects())
  const at = { commit: COMMIT, directory: path('catalog'), filesMax: 1_000 }
  const { files, skipped } = value(await trees.list(repository, at))
  expect(files.map((found) => String(found.path))).toStrictEqual([
    'catalog/a.yaml',
    'catalog/good/b.yaml',
  ])
  expect(skipped).toStrictEqual([{ rawPath: 'catalog/bomb', reason: 'too_many_files' }])
  expect(requests()).toBeLessThan(210)

  const all = value(await trees.list(repository, { commit: COMMIT, filesMax: 1_000 }))
  expect(all.skipped).toStrictEqual([{ rawPath: 'catalog', reason: 'too_many_files' }])
})
