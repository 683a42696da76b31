import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  blobObject,
  commitObject,
  MODE_EXECUTABLE,
  MODE_FILE,
  MODE_TREE,
  treeObject,
} from '#src/lib/adapters/hosts/hosted/objects/git-objects.ts'
import { AUTHOR, bytes } from '#tests/contracts/git-host.ts'
import { git } from '#tests/adapters/hosts/open-local.ts'

const RUNS = 20

const inRepository = async (
  work: (run: (args: string[], stdin?: string) => Promise<string>) => Promise<void>,
) => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-objects-'))
  try {
    await git(folder, ['init', '--quiet', '--bare'])
    await work((args, stdin) => git(folder, args, stdin))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const name = fc
  .string({
    unit: fc.constantFrom('a', 'b', '-', '.', '0', '_', '~', 'ü', ' '),
    minLength: 1,
    maxLength: 6,
  })
  .filter((text) => !['.', '..'].includes(text))

test('ids of trees are those of git, whatever the names', async () => {
  await inRepository(async (run) => {
    const blob = blobObject(bytes('x')).id
    const empty = treeObject([]).id
    await run(['hash-object', '-w', '--stdin'], 'x')
    await run(['mktree'], '')
    const entry = fc.record({
      name,
      mode: fc.constantFrom(MODE_FILE, MODE_EXECUTABLE, MODE_TREE),
    })
    const entries = fc.uniqueArray(entry, {
      selector: (each) => each.name,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(entries, async (listed) => {
        const full = listed.map((each) => ({
          ...each,
          id: each.mode === MODE_TREE ? empty : blob,
        }))
        const lines = full.map(
          (each) =>
            `${each.mode} ${each.mode === MODE_TREE ? 'tree' : 'blob'} ${each.id}\t${each.name}\0`,
        )
        const id = (await run(['mktree', '-z'], lines.join(''))).trim()
        expect(String(treeObject(full).id)).toBe(id)
      }),
      { numRuns: RUNS },
    )
  })
})

test('a commit cannot be forged by its author or message', async () => {
  await inRepository(async (run) => {
    const tree = treeObject([]).id
    await run(['mktree'], '')
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '>', '\n', '\0', ' ', '“', '\r'),
    })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (person, email, message) => {
        const commit = commitObject({
          tree,
          parents: [],
          author: { name: person, email },
          at: 1_700_000_000_000,
          message,
        })
        const written = await run(
          ['hash-object', '-t', 'commit', '-w', '--stdin'],
          Buffer.from(commit.content).toString(),
        )
        expect(written.trim()).toBe(String(commit.id))
        const shown = await run(['log', '-1', '--format=%T %at %ct %P', commit.id])
        expect(shown).toBe(`${tree} 1700000000 1700000000 \n`)
      }),
      { numRuns: RUNS },
    )
  })
})

test('a commit names its author, its parents and its message as given', () => {
  const tree = treeObject([]).id
  const parent = blobObject(bytes('parent')).id
  const message = 'Subject\n\nBody — 日本語\n'
  const { content } = commitObject({
    tree,
    parents: [parent],
    author: AUTHOR,
    at: 1_500,
    message,
  })
  const who = 'Ada Example <ada@example.com> 1 +0000'
  expect(Buffer.from(content).toString()).toBe(
    `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\n${message}`,
  )
})
