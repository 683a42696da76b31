import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeptRefs, isSettled } from '#src/lib/git/kept-refs.ts'
import { headIn, readAllRefs } from '#src/lib/git/refs.ts'
import { BranchName } from '#src/lib/names.ts'
import { gitText } from '#src/lib/git/git.ts'

/** Long after what a test has done by then. */
const later = () => {
  const at = Date.now() + 60_000
  return () => at
}
let directory: string

async function git(repository: string, ...args: readonly string[]): Promise<string> {
  const text = await gitText(repository, args)
  if (!text.ok) throw new Error(`git ${args.join(' ')}: ${JSON.stringify(text.error)}`)
  return text.value.trim()
}

let commits: readonly string[]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-refs-'))
  await git(directory, 'init', '--quiet', '--bare', '--initial-branch=main')
  const tree = await git(directory, 'hash-object', '-w', '-t', 'tree', '/dev/null')
  commits = await Promise.all(
    ['one', 'two'].map((name) => git(directory, 'commit-tree', '-m', name, tree)),
  )
  await git(directory, 'update-ref', 'refs/heads/main', commits[0] ?? '')
})
afterAll(() => rm(directory, { recursive: true }))

const changes: readonly (readonly [string, readonly string[]])[] = [
  ['a branch in new folders', ['update-ref', 'refs/heads/promote/a/b/dev', '1']],
  ['a branch in a folder that is there', ['update-ref', 'refs/heads/promote/a/b/prod', '1']],
  ['a branch that moves', ['update-ref', 'refs/heads/promote/a/b/dev', '0']],
  ['a tag', ['tag', 'v1', '1']],
  ['refs of ours', ['update-ref', 'refs/portico/pulls/1', '0']],
  ['packing', ['pack-refs', '--all']],
  ['a packed branch that moves', ['update-ref', 'refs/heads/promote/a/b/prod', '0']],
  ['a packed branch that goes', ['update-ref', '-d', 'refs/heads/promote/a/b/prod']],
  ['a branch in the place of a folder', ['update-ref', '-d', 'refs/heads/promote/a/b/dev']],
  ['another default branch', ['symbolic-ref', 'HEAD', 'refs/heads/other']],
  ['its first commit', ['update-ref', 'refs/heads/other', '1']],
]

test('refs are kept until any process changes one', async () => {
  const refs = createKeptRefs(later())
  for (const [name, args] of changes) {
    // Beyond a tick of the file system's clock.
    await Bun.sleep(20)
    const before = await refs(directory)
    const known = before.ok ? before.value : null
    const again = await refs(directory)
    expect(again.ok && again.value === known, `kept before ${name}`).toBe(true)
    await git(
      directory,
      ...args.map((arg) => (/^[01]$/.test(arg) ? (commits[Number(arg)] ?? '') : arg)),
    )
    expect(await refs(directory), name).toStrictEqual(await readAllRefs(directory))
  }
})

test('refs that have changed a moment ago are not kept', async () => {
  const at = Date.now()
  const refs = createKeptRefs(() => at)
  await git(directory, 'update-ref', 'refs/heads/main', commits[1] ?? '')
  const [first, second] = [await refs(directory), await refs(directory)]
  expect(first).toStrictEqual(second)
  expect(first.ok && second.ok && first.value === second.value).toBe(false)
})

test.each([
  { changed: 5_000.4, read: 5_020, isOver: false, clock: 'the kernel' },
  { changed: 5_000.4, read: 5_020.5, isOver: true, clock: 'the kernel' },
  { changed: 6_000.4, read: 5_900, isOver: false, clock: 'the kernel, ahead of ours' },
  { changed: 5_000, read: 7_000, isOver: false, clock: 'whole seconds' },
  { changed: 5_000, read: 7_001, isOver: true, clock: 'whole seconds' },
  { changed: 0, read: 7_001, isOver: true, clock: 'none: there is no such file' },
])('a change at $changed, read at $read, by the clock of $clock', ({ changed, read, isOver }) => {
  expect(isSettled(changed, read)).toBe(isOver)
})

test('a ref that somebody has written by hand is found after a second', async () => {
  let at = later()()
  const refs = createKeptRefs(() => at)
  await git(directory, 'update-ref', 'refs/heads/main', commits[0] ?? '')
  const mainOf = async () => {
    const read = await refs(directory)
    const head = read.ok ? headIn(read.value, BranchName.of('main')) : read
    return head.ok ? String(head.value.commit) : head.error.kind
  }
  expect(await mainOf()).toBe(commits[0] ?? '')
  await writeFile(join(directory, 'refs/heads/main'), `${commits[1]}\n`)
  at += 1_000
  expect(await mainOf()).toBe(commits[1] ?? '')
  await writeFile(join(directory, 'refs/heads/main'), '')
  at += 1_000
  expect(await mainOf()).toBe('git_host_error')
  expect(await mainOf()).toBe('git_host_error')
})

test('a repository that is not there is a failure, and is read when it is', async () => {
  const missing = join(directory, 'missing')
  const refs = createKeptRefs(later())
  expect((await refs(missing)).ok).toBe(false)
  await git(directory, 'init', '--quiet', '--bare', missing)
  expect(await refs(missing)).toMatchObject({ ok: true, value: { headRef: undefined } })
})
