import { expect, test } from 'bun:test'
import { createTrees } from '#src/lib/adapters/hosts/github/git/trees.ts'
import { createKnownRepositories } from '#src/lib/adapters/hosts/hosted/known-repositories.ts'
import { createKeptObjects } from '#src/lib/adapters/hosts/hosted/objects/kept-objects.ts'
import type { HostClient } from '#src/lib/adapters/hosts/hosted/api/client.ts'
import { ObjectId } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { ok } from '#src/lib/result.ts'
import { path, repositoryId, value } from '#tests/contracts/git-host.ts'

const id = (digit: string) => ObjectId.of(digit.repeat(40))
const [COMMIT, ROOT, CATALOG] = [id('1'), id('2'), id('3')]
const [GOOD, BOMB, FILE] = [id('4'), id('5'), id('6')]
const LATER = id('7')
/** Two commits of one repository. */
const rootOf = (commit: string) => (commit === LATER ? id('8') : ROOT)
const repository = repositoryId('acme', 'gitops')

const folder = (name: string, tree = BOMB) => ({
  path: name,
  mode: '040000',
  type: 'tree',
  sha: tree,
})
const file = (name: string) => ({ path: name, mode: '100644', type: 'blob', sha: FILE, size: 4 })
type Entry = ReturnType<typeof folder> | ReturnType<typeof file>
type Contents = ReadonlyMap<ObjectId, readonly Entry[]>

const CONTENTS: Contents = new Map<ObjectId, readonly Entry[]>([
  [ROOT, [folder('catalog', CATALOG)]],
  [CATALOG, [folder('bomb'), folder('good', GOOD), file('a.yaml')]],
  [GOOD, [file('b.yaml')]],
  [BOMB, Array.from({ length: 10 }, (_, index) => folder(`${index}`))],
])

/** Every listing that has folders is too long to come whole. */
function open(contents: Contents) {
  let requests = 0
  const client: Pick<HostClient, 'read'> = {
    async read(url, options) {
      requests += 1
      const answer = (json: unknown) => ok({ status: 200, headers: new Headers(), json })
      const sha = url.slice(url.lastIndexOf('/') + 1)
      if (url.includes('/git/commits/')) {
        return answer({ sha, tree: { sha: rootOf(sha) }, parents: [], message: '' })
      }
      const tree = [...contents.keys()].find((known) => known === sha)
      if (tree === undefined) {
        return answer({
          full_name: 'acme/gitops',
          default_branch: 'main',
          html_url: 'https://x.example',
        })
      }
      const entries = contents.get(tree) ?? []
      const truncated = options?.query !== undefined && entries.some(({ type }) => type === 'tree')
      return answer({ sha, truncated, tree: entries })
    },
  }
  const known = createKnownRepositories(client, systemClock, {
    failureOf: () => ({ kind: 'git_host_unreachable' }),
    see: '',
    read: '',
  })
  const trees = createTrees(client, known, createKeptObjects())
  return { trees, requests: () => requests }
}

test('a folder without an end is left out and named after a hundred folders', async () => {
  const { trees, requests } = open(CONTENTS)
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

test('more than a hundred folders that fit come whole, and later only those that changed', async () => {
  const TEAMS = 150
  const teamId = (index: number) => ObjectId.of(`a${String(index).padStart(39, '0')}`)
  const teams = Array.from({ length: TEAMS }, (_, index) => folder(`team-${index}`, teamId(index)))
  const changed = [folder('team-0', GOOD), ...teams.slice(1)]
  const { trees, requests } = open(
    new Map<ObjectId, readonly Entry[]>([
      [ROOT, [folder('apps', CATALOG)]],
      [CATALOG, teams],
      [rootOf(LATER), [folder('apps', BOMB)]],
      [BOMB, changed],
      [GOOD, [file('a.yaml'), file('b.yaml')]],
      ...teams.map(({ sha }) => [sha, [file('a.yaml')]] as const),
    ]),
  )
  const at = { commit: COMMIT, directory: path('apps'), filesMax: 1_000 }
  const first = value(await trees.list(repository, at))
  expect([first.files.length, first.skipped]).toStrictEqual([TEAMS, []])
  expect(requests()).toBeWithin(TEAMS, TEAMS + 10)

  const before = requests()
  const later = value(await trees.list(repository, { ...at, commit: LATER }))
  expect([later.files.length, later.skipped]).toStrictEqual([TEAMS + 1, []])
  // The commit, the root, the folder and its changed team.
  expect(requests() - before).toBe(4)
})
