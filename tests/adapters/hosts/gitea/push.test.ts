import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FLUSH, pktLine, readPktLines } from '#src/lib/adapters/hosts/pkt-lines.ts'
import { packOf } from '#src/lib/adapters/hosts/gitea/push/pack.ts'
import { readReport } from '#src/lib/adapters/hosts/gitea/push/report.ts'
import { editTree } from '#src/lib/adapters/hosts/gitea/push/tree-edit.ts'
import { commitObject, type GitObject } from '#src/lib/adapters/hosts/hosted/objects/git-objects.ts'
import { ok } from '#src/lib/result.ts'
import { AUTHOR, remove, value, write } from '#tests/contracts/git-host.ts'
import { git } from '#tests/adapters/hosts/open-local.ts'

const RUNS = 15

async function inRepository(
  work: (
    run: (args: string[], stdin?: string | Uint8Array<ArrayBuffer>) => Promise<string>,
  ) => Promise<void>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-push-'))
  try {
    await git(folder, ['init', '--quiet', '--bare'])
    await work((args, stdin) => git(folder, args, stdin))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Names that sort differently as files and as folders, and clash often. */
const NAMES = ['a', 'a-', 'a.b', 'a0', 'b', 'lib']
const filePath = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'))
const content = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  // Sizes at the borders of the pack's size encoding.
  fc.constantFrom(0, 15, 16, 2_047, 2_048, 300_000).map((size) => new Uint8Array(size).fill(7)),
)
const isClash = (paths: readonly string[]) =>
  paths.some((path) => paths.some((other) => other.startsWith(`${path}/`)))
const files = fc
  .uniqueArray(fc.record({ file: filePath, content, executable: fc.boolean() }), {
    selector: ({ file }) => file,
    minLength: 1,
    maxLength: 8,
  })
  .filter((list) => !isClash(list.map(({ file }) => file)))

const entriesOf = (objects: readonly GitObject[]) => async (id: string) => {
  const tree = objects.find((object) => object.id === id)
  if (tree === undefined) throw new Error(`${id} was not written`)
  return ok(parseTree(tree.content))
}

function parseTree(content: Uint8Array) {
  const entries = []
  for (let rest = Buffer.from(content); rest.length > 0;) {
    const end = rest.indexOf(0)
    const [mode = '', name = ''] = rest.toString('utf8', 0, end).split(' ')
    entries.push({
      mode,
      name,
      id: rest.toString('hex', end + 1, end + 21) as never,
    })
    rest = rest.subarray(end + 21)
  }
  return entries
}

describe('a commit', () => {
  test('is a pack that git takes, with the trees and files that git itself would write', async () => {
    await inRepository(async (run) => {
      await fc.assert(
        fc.asyncProperty(files, async (list) => {
          const changes = list.map((each) => write(each.file, each.content, each.executable))
          const { tree, objects } = value(await editTree([], changes, async () => ok([])))
          const commit = commitObject({
            tree,
            parents: [],
            author: AUTHOR,
            at: 0,
            message: 'm',
          })
          const pack = await packOf([commit, ...objects])
          await run(['index-pack', '--strict', '--stdin'], pack)
          const listed = await run([
            'ls-tree',
            '-r',
            '-z',
            '--format=%(objectmode) %(path)',
            commit.id,
          ])
          const expected = list.map(
            (each) => `${each.executable ? '100755' : '100644'} ${each.file}\0`,
          )
          expect(listed.split(/(?<=\0)/).toSorted()).toStrictEqual(expected.toSorted())
          const [first] = list
          if (first === undefined) return
          const size = await run(['cat-file', '-s', `${commit.id}:${first.file}`])
          expect(Number(size)).toBe(first.content.length)
        }),
        { numRuns: RUNS },
      )
    })
  })

  test('changes the files it names and no other, as git does', async () => {
    await inRepository(async (run) => {
      const edits = fc.uniqueArray(
        fc.record({
          file: filePath,
          kind: fc.constantFrom('write', 'delete'),
          content,
        }),
        { selector: ({ file }) => file, maxLength: 5 },
      )
      await fc.assert(
        fc.asyncProperty(files, edits, async (before, list) => {
          fc.pre(!isClash(list.map(({ file }) => file)))
          const base = before.map((each) => write(each.file, each.content, each.executable))
          const first = value(await editTree([], base, async () => ok([])))
          const [root] = first.objects
          if (root === undefined) throw new Error('no root')
          const changes = list.map((each) =>
            each.kind === 'write' ? write(each.file, each.content) : remove(each.file),
          )
          const edited = await editTree(parseTree(root.content), changes, entriesOf(first.objects))
          const { tree, objects } = value(edited)
          const message = { author: AUTHOR, at: 0, message: 'm' }
          const parent = commitObject({
            tree: first.tree,
            parents: [],
            ...message,
          })
          const child = commitObject({
            tree,
            parents: [parent.id],
            ...message,
          })
          const pack = await packOf([parent, ...first.objects, child, ...objects])
          await run(['index-pack', '--strict', '--stdin'], pack)

          const data = (bytes: Uint8Array) => [`data ${bytes.length}\n`, bytes, '\n']
          const script = [
            `commit refs/heads/expected\ncommitter A <a@b> 1 +0000\ndata 1\nx\nfrom ${parent.id}\n`,
            ...list.flatMap((each) =>
              each.kind === 'write'
                ? [`M 100644 inline ${each.file}\n`, ...data(each.content)]
                : [`D ${each.file}\n`],
            ),
          ].map((part) => Buffer.from(part as string))
          await run(['fast-import', '--quiet', '--force'], Buffer.concat(script))
          const expected = await run(['rev-parse', 'refs/heads/expected^{tree}'])
          expect(String(tree)).toBe(expected.trim())
        }),
        { numRuns: RUNS },
      )
    })
  })

  test.each([
    ['twice', [write('a', '1'), remove('a')]],
    ['below a changed file', [write('a', '1'), write('a/b', '2')]],
    ['above a changed file', [write('a/b', '2'), remove('a')]],
  ])('is refused with changes that name a path %s', async (_, changes) => {
    const edited = await editTree([], changes, async () => ok([]))
    expect(edited).toMatchObject({
      ok: false,
      error: { kind: 'git_host_error' },
    })
  })
})

describe('the report of a push', () => {
  const REF = 'refs/heads/main'
  const band = (number: number, text: string) => pktLine(`${String.fromCodePoint(number)}${text}`)
  const report = (...lines: string[]) => lines.map((line) => pktLine(`${line}\n`)).join('') + FLUSH

  test.each([
    ['done', report('unpack ok', `ok ${REF}`), null],
    ['refused', report('unpack ok', `ng ${REF} failed to update ref`), 'failed to update ref'],
    [
      'of a bad pack',
      report('unpack index-pack failed', `ng ${REF} unpacker error`),
      'unpacker error',
    ],
    ['of a bad pack alone', report('unpack index-pack failed'), 'unpack index-pack failed'],
  ])('%s is read with and without side bands', (_, text, refusal) => {
    const banded = `${band(2, 'hello\n')}${band(1, text)}${FLUSH}`
    expect(readReport(Buffer.from(text), REF)).toStrictEqual({
      refusal,
      messages: '',
    })
    expect(readReport(Buffer.from(banded), REF)).toStrictEqual({
      refusal,
      messages: 'hello\n',
    })
  })

  test('split over several packets is read', () => {
    const text = report('unpack ok', `ok ${REF}`)
    const banded = `${band(1, text.slice(0, 9))}${band(1, text.slice(9))}${FLUSH}`
    expect(readReport(Buffer.from(banded), REF)?.refusal).toBeNull()
  })

  test('cut off anywhere is no report', () => {
    const text = `${band(1, report('unpack ok', `ok ${REF}`))}${FLUSH}`
    const whole = text.length - FLUSH.length
    for (let length = 0; length < whole; length += 1) {
      expect(readReport(Buffer.from(text.slice(0, length)), REF)).toBeUndefined()
    }
  })

  test('about another branch is no report', () => {
    const text = report('unpack ok', 'ok refs/heads/main2')
    expect(readReport(Buffer.from(text), REF)).toBeUndefined()
  })
})

test('packets are read back, and nothing else is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 50 })), (texts) => {
      const lines = readPktLines(Buffer.from(texts.map(pktLine).join('') + FLUSH))
      expect(lines?.map(String)).toStrictEqual(texts.map((text) => String(Buffer.from(text))))
    }),
  )
  for (const text of ['', '0000']) expect(readPktLines(Buffer.from(text))).toStrictEqual([])
  for (const text of ['0003', '0001', 'zzzz', '00', '0009ab', '<html>']) {
    expect(readPktLines(Buffer.from(text))).toBeUndefined()
  }
})
