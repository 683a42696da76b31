import { expect, test } from 'bun:test'
import { walkWithin } from '#src/lib/adapters/hosts/gitea/git/bounded-walk.ts'
import type { ReadDirectory } from '#src/lib/adapters/hosts/gitea/git/directories.ts'
import { ObjectId } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { repositoryId, value } from '#tests/contracts/git-host.ts'

const id = (digit: string) => ObjectId.of(digit.repeat(40))
const [COMMIT, GOOD, BOMB, FILE] = [id('1'), id('2'), id('3'), id('4')]
const repository = repositoryId('acme', 'gitops')
const top = { kind: 'root_of_commit', id: COMMIT } as const

const folder = (name: string, tree: ObjectId) => ({
  name,
  mode: '40000',
  id: tree,
  sizeBytes: null,
})
const file = (name: string) => ({ name, mode: '100644', id: FILE, sizeBytes: 4 })

/** A folder of folders without an end beside an ordinary one. */
function world() {
  const asked: ObjectId[] = []
  const entriesOf = new Map([
    [COMMIT, [folder('bomb', BOMB), folder('good', GOOD), file('a.yaml')]],
    [GOOD, [file('b.yaml')]],
    [BOMB, Array.from({ length: 10 }, (_, index) => folder(`${index}`, BOMB))],
  ])
  const readDirectory: ReadDirectory = async (_, at) => {
    asked.push(at.id)
    return ok({ tree: at.id, entries: entriesOf.get(at.id) ?? [], exact: true })
  }
  return { asked, readDirectory }
}

test('a folder without an end is left out and named after a hundred requests', async () => {
  const { asked, readDirectory } = world()
  const { entries, cut } = value(await walkWithin(readDirectory, repository, top))
  expect(entries.map(({ path, sizeBytes }) => [path, sizeBytes])).toStrictEqual([
    ['a.yaml', 4],
    ['good/b.yaml', 4],
  ])
  expect(cut).toStrictEqual(['bomb'])
  expect(asked).toHaveLength(100)
})

test('a directory that the host does not give is a failure', async () => {
  const down = err({ kind: 'git_host_unreachable' } as const)
  expect(await walkWithin(async () => down, repository, top)).toStrictEqual(down)
})
