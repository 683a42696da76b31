import { afterAll, describe, expect, test } from 'bun:test'
import { lazily } from '#src/lib/concurrency/lazily.ts'
import type { RepositoryPath } from '#src/lib/names.ts'
import type {
  ChangedPath,
  FileChange,
  FileContent,
  GitFailure,
  Head,
} from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import {
  ABSENT,
  advance,
  AUTHOR,
  branch,
  BYTES_MAX,
  bytes,
  collect,
  create,
  failure,
  FRESH,
  type GitHostFixture,
  headOf,
  MAIN,
  oid,
  openPull,
  path,
  remove,
  repositoryId,
  topic,
  value,
  write,
} from './git-host.ts'

const outcomes = async (reads: AsyncIterable<Result<FileContent, GitFailure>>) =>
  Array.fromAsync(reads, (read) => (read.ok ? read.value.path : read.error.kind))

/**
 * Commits, branches and files: one engine has them for all hosts, so that the suite runs where git itself differs. `owner`: of the
 * repository that it looks for in vain.
 */
export function gitContentContract(
  name: string,
  open: () => Promise<GitHostFixture>,
  owner = 'acme',
) {
  describe(`${name} keeps the GitContent contract`, () => {
    const unknown = repositoryId(owner, `unknown-${FRESH}`)
    /** For tests that change nothing. */
    const unchanged = lazily(open)
    afterAll(async () => (await unchanged())[Symbol.asyncDispose]())

    describe('head', () => {
      test('is the default branch, or the requested one', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const made = await topic(fixture, 'topic')
        const head = value(await host.head(repository))
        expect(head.branch).toBe(MAIN)
        expect(await host.head(repository, MAIN)).toStrictEqual({
          ok: true,
          value: head,
        })
        expect(await host.head(repository, branch('topic'))).toStrictEqual({
          ok: true,
          value: made,
        })
      })

      test('is never from a cache', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const before = await headOf(fixture)
        const after = value(await host.commit(repository, advance(before, write('x', 'x'))))
        expect(after.commit).not.toBe(before.commit)
        expect(await headOf(fixture)).toStrictEqual(after)
        await fixture.resetBranch(MAIN, before.commit)
        expect(await headOf(fixture)).toStrictEqual(before)
      })

      test('of an unknown branch or repository is git_not_found', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        expect(await host.head(repository, branch('absent'))).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'branch' }),
        )
        expect(await host.head(unknown)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('listBranches', () => {
      test('gives the branches with a prefix, in byte order', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        for (const name of [
          'promote/a/b/dev',
          'promote/a/b/dev.2',
          'promote/a/b/dev.10',
          'promote/a/bc/dev',
          'promote/a/B/dev',
          'promoted',
          'x/promote/a/b/dev',
        ]) {
          await topic(fixture, name, 'file')
        }
        const list = async (prefix: string) =>
          value(await host.listBranches(repository, prefix)).map(String)
        const dev = ['promote/a/b/dev', 'promote/a/b/dev.10', 'promote/a/b/dev.2']
        expect(await list('promote/a/b/')).toStrictEqual(dev)
        expect(await list('promote/a/b/dev')).toStrictEqual(dev)
        expect(await list('promote/a/b/dev.1')).toStrictEqual(['promote/a/b/dev.10'])
        expect(await list('promote/a/b')).toStrictEqual([...dev, 'promote/a/bc/dev'])
        expect(await list('promot')).toStrictEqual([
          'promote/a/B/dev',
          ...dev,
          'promote/a/bc/dev',
          'promoted',
        ])
        expect(await list('main')).toStrictEqual(['main'])
      })

      test('gives none for an unknown prefix, and no tags', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await fixture.publishRelease({
          tag: 'v1',
          draft: false,
          prerelease: false,
          assets: [],
        })
        for (const prefix of ['absent', 'main/', 'main/x', 'v1', 'heads/main', 'ain']) {
          expect(await host.listBranches(repository, prefix)).toStrictEqual({
            ok: true,
            value: [],
          })
        }
      })

      test('is never from a cache', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        expect(value(await host.listBranches(repository, 'topic'))).toStrictEqual([])
        await topic(fixture, 'topic')
        expect(value(await host.listBranches(repository, 'topic'))).toStrictEqual([branch('topic')])
        await fixture.deleteBranch(branch('topic'))
        expect(value(await host.listBranches(repository, 'topic'))).toStrictEqual([])
      })

      test('of an unknown repository is git_not_found', async () => {
        const fixture = await unchanged()
        expect(await fixture.host.listBranches(unknown, 'main')).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('listTags', () => {
      test('gives tags of images with their commits, in byte order', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        expect(await host.listTags(repository)).toStrictEqual({ ok: true, value: [] })
        const { commit } = value(await host.head(repository))
        for (const tag of ['v1.2.0', '1.10.0-rc.1', 'folder/v1']) {
          await fixture.publishRelease({ tag, draft: false, prerelease: false, assets: [] })
        }
        expect(await host.listTags(repository)).toStrictEqual({
          ok: true,
          value: [
            { name: '1.10.0-rc.1', commit },
            { name: 'v1.2.0', commit },
          ],
        })
        expect(await host.listTags(unknown)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('listFiles', () => {
      test('gives all files in byte order, with ids and modes', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const files = ['a-b', 'a/z', 'a.txt', 'a0', 'B'].map((file) => write(file, file))
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...files)),
        )
        const listing = value(await host.listFiles(repository, { commit }))
        expect(listing.files.map((file) => String(file.path))).toStrictEqual([
          'B',
          'README.md',
          'a-b',
          'a.txt',
          'a/z',
          'a0',
          'bin/run',
          'catalog/a.yaml',
          'catalog/deep/b.yaml',
        ])
        expect(listing.skipped).toStrictEqual([])
        const executables = listing.files.filter(({ executable }) => executable)
        expect(executables.map((file) => String(file.path))).toStrictEqual(['bin/run'])
        const readme = listing.files.find((file) => file.path === 'README.md')
        expect(readme?.blob).toBe(oid('ce013625030ba8dba906f756967f9e9ca394464a'))
      })

      test('without room for a file gives the id of the tree', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        for (const directory of [path('catalog'), path('absent'), path('README.md')]) {
          const { tree } = value(await host.listFiles(repository, { commit, directory }))
          expect(
            value(await host.listFiles(repository, { commit, directory, filesMax: 0 })),
          ).toStrictEqual({ tree, files: [], skipped: [] })
        }
      })

      test('below a directory gives whole paths and the id of its tree', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const before = await headOf(fixture)
        const at = { commit: before.commit, directory: path('catalog') }
        const listing = value(await host.listFiles(repository, at))
        expect(listing.files.map((file) => String(file.path))).toStrictEqual([
          'catalog/a.yaml',
          'catalog/deep/b.yaml',
        ])
        const elsewhere = value(await host.commit(repository, advance(before, write('other', 'x'))))
        const same = value(await host.listFiles(repository, { ...at, commit: elsewhere.commit }))
        expect(same.tree).toBe(listing.tree)
        const inside = value(
          await host.commit(repository, advance(elsewhere, write('catalog/a.yaml', 'a: 2\n'))),
        )
        const changed = value(await host.listFiles(repository, { ...at, commit: inside.commit }))
        expect(changed.tree).not.toBe(listing.tree)
      })

      test('of a missing directory, or of a file, is empty without a tree', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        for (const directory of [path('absent'), path('README.md'), path('README.md/x')]) {
          expect(await host.listFiles(repository, { commit, directory })).toStrictEqual({
            ok: true,
            value: { tree: null, files: [], skipped: [] },
          })
        }
      })

      test('skips what no RepositoryPath or regular file can be', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await fixture.plant(branch('strange'), [
          { path: 'strange/fine', mode: '100644', content: 'fine' },
          { path: 'strange/link', mode: '120000', content: '../README.md' },
          { path: 'strange/module', mode: '160000', content: ABSENT },
          { path: 'strange/back\\slash', mode: '100644', content: 'x' },
          { path: 'strange/ünïcode', mode: '100644', content: 'x' },
          { path: 'strange/new\nline', mode: '100644', content: 'x' },
        ])
        const { commit } = await headOf(fixture, branch('strange'))
        const listing = value(
          await host.listFiles(repository, {
            commit,
            directory: path('strange'),
          }),
        )
        expect(listing.files.map((file) => String(file.path))).toStrictEqual(['strange/fine'])
        expect(listing.skipped.toSorted((a, b) => (a.rawPath < b.rawPath ? -1 : 1))).toStrictEqual([
          { rawPath: 'strange/back\\slash', reason: 'unsafe_path' },
          { rawPath: 'strange/link', reason: 'symbolic_link' },
          { rawPath: 'strange/module', reason: 'submodule' },
          { rawPath: 'strange/new\nline', reason: 'unsafe_path' },
          { rawPath: 'strange/ünïcode', reason: 'unsafe_path' },
        ])
      })

      test('with a bound comes in part, and the largest folder loses', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const many = [1, 2, 3, 4, 5, 6].map((number) => write(`catalog/many/${number}.yaml`, 'x'))
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...many)),
        )
        const at = { commit, directory: path('catalog') }
        const part = value(await host.listFiles(repository, { ...at, filesMax: 4 }))
        expect(part.files.map((file) => String(file.path))).toStrictEqual([
          'catalog/a.yaml',
          'catalog/deep/b.yaml',
          'catalog/many/1.yaml',
          'catalog/many/2.yaml',
        ])
        expect(part.skipped).toStrictEqual([{ rawPath: 'catalog/many', reason: 'too_many_files' }])
        const whole = value(await host.listFiles(repository, at))
        expect(part.tree).toBe(whole.tree)
        expect(value(await host.listFiles(repository, { ...at, filesMax: 8 }))).toStrictEqual(whole)

        const { files } = value(await host.listFiles(repository, { commit }))
        const ofAll = { commit, filesMax: files.length - 1 }
        const { skipped } = value(await host.listFiles(repository, ofAll))
        expect(skipped).toStrictEqual([{ rawPath: 'catalog', reason: 'too_many_files' }])
      })

      test('is empty where the directory is a submodule, even of an existing commit', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const before = await headOf(fixture)
        await fixture.plant(branch('strange'), [
          { path: 'catalog', mode: '160000', content: before.commit },
        ])
        const { commit } = await headOf(fixture, branch('strange'))
        const at = { commit, directory: path('catalog') }
        expect(value(await host.listFiles(repository, at)).files).toStrictEqual([])
      })

      test('at an unknown commit or repository is git_not_found', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { tree } = value(await host.listFiles(repository, await headOf(fixture)))
        for (const commit of [ABSENT, tree ?? ABSENT]) {
          for (const at of [{ commit }, { commit, directory: path('catalog/deep/er') }]) {
            expect(await host.listFiles(repository, at)).toStrictEqual(
              failure({ kind: 'git_not_found', what: 'commit' }),
            )
          }
        }
        for (const at of [{ commit: ABSENT }, { commit: ABSENT, directory: path('a/b/c') }]) {
          expect(await host.listFiles(unknown, at)).toStrictEqual(
            failure({ kind: 'git_not_found', what: 'repository' }),
          )
        }
      })
    })

    describe('searchFiles', () => {
      test('gives the first line with a text in each of the files', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const files = [
          write('b.md', 'One\nTwo two\ntwo\n'),
          write('a.md', 'two'),
          write('c', 'two'),
        ]
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...files)),
        )
        const paths = [path('b.md'), path('a.md'), path('README.md')]
        const search = { commit, paths, text: 'TWO' }
        const found = value(await host.searchFiles(repository, search))
        expect(found).toStrictEqual([
          { path: path('a.md'), line: 1, text: 'two' },
          { path: path('b.md'), line: 2, text: 'Two two' },
        ])
        expect(value(await host.searchFiles(repository, { ...search, paths: [] }))).toBeEmpty()
        expect(await host.searchFiles(repository, { ...search, commit: ABSENT })).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'commit' }),
        )
      })
    })

    describe('readFiles', () => {
      test('gives the bytes as they were committed', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const contents: Record<string, Uint8Array> = {
          crlf: bytes('a\r\nb\rc\n'),
          bom: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
          binary: Uint8Array.from({ length: 512 }, (_, index) => index % 256),
          empty: new Uint8Array(),
          'no-newline': bytes('end'),
          large: crypto.getRandomValues(new Uint8Array(65_536)).toReversed(),
          megabyte: Uint8Array.from({ length: 1_048_576 }, (_, index) => (index * 7) % 251),
          'with space': bytes('space'),
        }
        const changes = Object.entries(contents).map(([file, content]) => write(file, content))
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...changes)),
        )
        const files = Object.keys(contents).map((file) => ({
          path: path(file),
        }))
        const read = await Array.fromAsync(
          host.readFiles(repository, commit, files, BYTES_MAX),
          value,
        )
        expect(read.length).toBe(files.length)
        for (const file of read) {
          const content = contents[file.path] ?? bytes('?')
          expect(file.bytes && Buffer.from(file.bytes).equals(content)).toBe(true)
          expect(String(file.blob)).toBe(
            new Bun.CryptoHasher('sha1')
              .update(`blob ${content.length}\0`)
              .update(content)
              .digest('hex'),
          )
        }
      })

      test('a file larger than the limit comes without its bytes, the others with theirs', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const changes = [
          write('five', '12345'),
          write('six', '123456'),
          write('big', 'x'.repeat(3_000_000)),
        ]
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...changes)),
        )
        const files = ['big', 'five', 'six'].map((file) => ({
          path: path(file),
        }))
        const read = await Array.fromAsync(host.readFiles(repository, commit, files, 5), value)
        const lengths = read.map((file) => [String(file.path), file.bytes?.length ?? null] as const)
        expect(Object.fromEntries(lengths)).toStrictEqual({
          big: null,
          five: 5,
          six: null,
        })
      })

      test('reads what a listing gave, each exactly once', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        const { files } = value(await host.listFiles(repository, { commit }))
        const twice = [...files, ...files.map((file) => ({ path: file.path }))]
        const read = await outcomes(host.readFiles(repository, commit, twice, BYTES_MAX))
        expect(read.map(String).toSorted()).toStrictEqual(files.map((file) => String(file.path)))
      })

      test('reads two paths of one content', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const changes = [write('one', 'same'), write('two', 'same')]
        const { commit } = value(
          await host.commit(repository, advance(await headOf(fixture), ...changes)),
        )
        const { files } = value(await host.listFiles(repository, { commit }))
        const both = files.filter((file) => file.path === 'one' || file.path === 'two')
        expect(await collect(host.readFiles(repository, commit, both, BYTES_MAX))).toStrictEqual(
          new Map([
            ['one', 'same'],
            ['two', 'same'],
          ]),
        )
      })

      test('sees the files of that commit, not of the branch', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const before = await headOf(fixture)
        value(await host.commit(repository, advance(before, write('README.md', 'changed\n'))))
        const readme = [{ path: path('README.md') }]
        expect(
          await collect(host.readFiles(repository, before.commit, readme, BYTES_MAX)),
        ).toStrictEqual(new Map([['README.md', 'hello\n']]))
      })

      test('of nothing is nothing', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        expect(await outcomes(host.readFiles(repository, commit, [], BYTES_MAX))).toStrictEqual([])
      })

      test('ends with git_not_found for a path that is no regular file there', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await fixture.plant(branch('strange'), [
          { path: 'link', mode: '120000', content: 'README.md' },
          { path: 'fine', mode: '100644', content: 'x' },
        ])
        const { commit } = await headOf(fixture, branch('strange'))
        for (const file of ['absent', 'catalog', 'link', 'fine/below']) {
          const files = [{ path: path(file) }, { path: path('fine') }]
          const read = await Array.fromAsync(host.readFiles(repository, commit, files, BYTES_MAX))
          expect(read.at(-1)).toStrictEqual(failure({ kind: 'git_not_found', what: 'file' }))
          expect(read.slice(0, -1).every(({ ok }) => ok)).toBe(true)
        }
      })

      test('at an unknown commit or repository is a failure and nothing else', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const files = [{ path: path('README.md') }]
        const read = [
          await Array.fromAsync(host.readFiles(repository, ABSENT, files, BYTES_MAX)),
          await Array.fromAsync(host.readFiles(unknown, ABSENT, files, BYTES_MAX)),
        ]
        expect(read).toStrictEqual([
          [failure({ kind: 'git_not_found', what: 'commit' })],
          [failure({ kind: 'git_not_found', what: 'repository' })],
        ])
      })

      test('may be left early', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        const { files } = value(await host.listFiles(repository, { commit }))
        for await (const read of host.readFiles(repository, commit, files, BYTES_MAX)) {
          value(read)
          break
        }
        expect((await collect(host.readFiles(repository, commit, files, BYTES_MAX))).size).toBe(
          files.length,
        )
      })
    })

    describe('listChanges', () => {
      test('gives what was added, removed and modified, its mode too, in a directory or everywhere', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const seed = await headOf(fixture)
        const change = [write('catalog/new.yaml', 'x'), write('catalog/a.yaml', 'a: 2\n')]
        const made = value(
          await host.commit(repository, advance(seed, ...change, write('README.md', 'x'))),
        )
        const again = value(
          await host.commit(
            repository,
            advance(made, remove('catalog/new.yaml'), write('README.md', 'x', true)),
          ),
        )
        const list = async (from: Head, to: Head, directory?: RepositoryPath) => {
          const range = { from: from.commit, to: to.commit, ...(directory && { directory }) }
          return value(await host.listChanges(repository, range))
        }
        const changed = (rawPath: string, change: ChangedPath['change']) => ({ rawPath, change })
        expect(await list(seed, made, path('catalog'))).toStrictEqual([
          changed('catalog/a.yaml', 'modified'),
          changed('catalog/new.yaml', 'added'),
        ])
        expect(await list(made, again)).toStrictEqual([
          changed('README.md', 'modified'),
          changed('catalog/new.yaml', 'removed'),
        ])
        expect(await list(again, made, path('catalog'))).toStrictEqual([
          changed('catalog/new.yaml', 'added'),
        ])
        expect(await list(seed, made, path('absent'))).toStrictEqual([])
        expect(await list(made, made)).toStrictEqual([])
      })

      test('of an unknown commit or in an unknown repository is git_not_found', async () => {
        await using fixture = await open()
        const { commit } = await headOf(fixture)
        expect(
          await fixture.host.listChanges(fixture.repository, { from: commit, to: ABSENT }),
        ).toStrictEqual(failure({ kind: 'git_not_found', what: 'commit' }))
        expect(await fixture.host.listChanges(unknown, { from: commit, to: commit })).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('listCommits', () => {
      const history = async (fixture: GitHostFixture) => {
        const { host, repository } = fixture
        const first = await headOf(fixture)
        const message = 'Subject — “quoted”\n\nBody, 日本語\n\nTrailer: x\n'
        const one = create(first, branch('topic'), write('one', '1'))
        const made = value(await host.commit(repository, { ...one, message }))
        const two = advance(made, write('two', '2'))
        const tip = value(await host.commit(repository, { ...two, message: 'Second\n' }))
        const main = value(await host.commit(repository, advance(first, write('main', 'x'))))
        return { first, made, tip, main, message }
      }

      test('gives what one has and the other has not, newest first, up to a limit', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const { first, made, tip, main, message } = await history(fixture)
        const list = async (of: Head, without: Head, limit = 10) =>
          value(
            await host.listCommits(repository, {
              of: of.commit,
              without: without.commit,
              limit,
            }),
          ).map(({ id, message, parents }) => ({ id, message: message.trimEnd(), parents }))
        const [older, newer] = [
          { id: made.commit, message: message.trimEnd(), parents: [first.commit] },
          { id: tip.commit, message: 'Second', parents: [made.commit] },
        ]
        expect(await list(tip, first)).toStrictEqual([newer, older])
        expect(await list(tip, main)).toStrictEqual([newer, older])
        expect(await list(tip, made)).toStrictEqual([newer])
        expect(await list(tip, first, 1)).toStrictEqual([newer])
        expect(await list(tip, tip)).toStrictEqual([])
        expect(await list(first, tip)).toStrictEqual([])
      })

      test('of unknown commits or in an unknown repository is git_not_found', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        for (const [of, without] of [
          [commit, ABSENT],
          [ABSENT, commit],
        ] as const) {
          expect(await host.listCommits(repository, { of, without, limit: 10 })).toStrictEqual(
            failure({ kind: 'git_not_found', what: 'commit' }),
          )
        }
        const range = { of: commit, without: commit, limit: 10 }
        expect(await host.listCommits(unknown, range)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('listCommits of paths', () => {
      const list = async (
        { host, repository }: GitHostFixture,
        { commit: of }: Head,
        ...files: readonly string[]
      ) => value(await host.listCommits(repository, { of, paths: files.map(path), limit: 10 }))
      const change = async ({ host, repository }: GitHostFixture, ...changes: FileChange[]) => {
        const head = value(await host.head(repository))
        return value(await host.commit(repository, advance(head, ...changes)))
      }

      test('gives the commits that changed a file or a directory, newest first, as they were made', async () => {
        await using fixture = await open()
        const seed = await headOf(fixture)
        const other = await change(fixture, write('catalog/deep/b.yaml', 'b: 2\n'))
        const changed = await change(fixture, write('catalog/a.yaml', 'a: 2\n'))
        const message = 'Subject — “quoted”\n\nBody, 日本語\n\nTrailer: x\n'
        const { host, repository } = fixture
        const request = { ...advance(changed, remove('catalog/a.yaml')), message }
        const removed = value(await host.commit(repository, request))
        const ids = async (of: Head, ...files: readonly string[]) =>
          (await list(fixture, of, ...files)).map(({ id }) => id)
        expect(await ids(removed, 'catalog/a.yaml', 'catalog/deep', 'absent')).toStrictEqual([
          removed.commit,
          changed.commit,
          other.commit,
          seed.commit,
        ])
        const range = { of: removed.commit, without: other.commit, paths: [path('catalog/deep')] }
        expect(value(await host.listCommits(repository, { ...range, limit: 10 }))).toStrictEqual([])
        expect(await ids(removed, 'catalog/a.yaml')).toStrictEqual([
          removed.commit,
          changed.commit,
          seed.commit,
        ])
        expect(await ids(changed, 'catalog/a.yaml')).toStrictEqual([changed.commit, seed.commit])
        expect(await ids(changed, 'catalog')).toStrictEqual([
          changed.commit,
          other.commit,
          seed.commit,
        ])
        expect(await ids(removed, 'catalog/deep')).toStrictEqual([other.commit, seed.commit])
        expect(await ids(removed, 'catalog/absent.yaml')).toStrictEqual([])
        expect(await ids(removed, 'catalog/a')).toStrictEqual([])

        const [newest] = await list(fixture, removed, 'catalog/a.yaml')
        expect(newest?.message.trimEnd()).toBe(message.trimEnd())
        expect(newest?.parents).toStrictEqual([changed.commit])
        expect(newest?.authorName).toBe(AUTHOR.name)
        expect(Math.abs((newest?.committedAt ?? 0) - Date.now())).toBeLessThan(600_000)
      })

      test('of a merge gives the merge, which stands for what it brought', async () => {
        await using fixture = await open()
        const seed = await headOf(fixture)
        await topic(fixture, 'topic', 'catalog/new.yaml')
        const { number } = await openPull(fixture, 'topic')
        const main = await change(fixture, write('README.md', 'changed\n'))
        await fixture.mergePullRequest(number)
        const merged = await headOf(fixture)
        const ids = async (file: string) => (await list(fixture, merged, file)).map(({ id }) => id)
        expect(await ids('catalog/new.yaml')).toStrictEqual([merged.commit])
        expect(await ids('README.md')).toStrictEqual([main.commit, seed.commit])
      })

      test('at an unknown commit or in an unknown repository is git_not_found', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        const rest = { paths: [path('README.md')], limit: 10 }
        expect(await host.listCommits(repository, { of: ABSENT, ...rest })).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'commit' }),
        )
        expect(await host.listCommits(unknown, { of: commit, ...rest })).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('merge', () => {
      const sides = async (fixture: GitHostFixture, ours: FileChange, theirs: FileChange) => {
        const { host, repository } = fixture
        const first = await headOf(fixture)
        const made = value(await host.commit(repository, create(first, branch('topic'), theirs)))
        const main = value(await host.commit(repository, advance(first, ours)))
        return { ours: main.commit, theirs: made.commit }
      }

      test('has the changes of both sides, and its tree can be read', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const both = await sides(fixture, write('README.md', 'ours\n'), write('new/one', 'theirs'))
        const merged = value(await host.merge(repository, both))
        if (merged.kind !== 'clean') throw new Error('it conflicts')
        const at = { commit: both.ours, tree: merged.tree }
        const { tree, files } = value(await host.listFiles(repository, at))
        expect(tree).toBe(merged.tree)
        const changed = files.filter((file) => ['README.md', 'new/one'].includes(file.path))
        const texts = await collect(host.readFiles(repository, both.ours, changed, BYTES_MAX))
        expect([...texts.values()].toSorted()).toStrictEqual(['ours\n', 'theirs'])
        const directory = path('new')
        const below = value(await host.listFiles(repository, { ...at, directory }))
        expect(below.files.map((file) => file.path)).toStrictEqual([path('new/one')])
        expect(value(await host.listBranches(repository, ''))).toStrictEqual([
          MAIN,
          branch('topic'),
        ])
      })

      test('names the paths that both have changed', async () => {
        await using fixture = await open()
        const both = await sides(fixture, write('README.md', 'a\n'), write('README.md', 'b\n'))
        expect(value(await fixture.host.merge(fixture.repository, both))).toStrictEqual({
          kind: 'conflicting',
          paths: ['README.md'],
        })
      })

      test('of one that the other contains is the newer one', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const { commit: older } = await headOf(fixture)
        const { theirs: newer } = await sides(fixture, write('a', 'a'), write('b', 'b'))
        const { tree } = value(await host.listFiles(repository, { commit: newer }))
        for (const [ours, theirs] of [
          [older, newer],
          [newer, older],
          [newer, newer],
        ] as const) {
          expect(value(await host.merge(repository, { ours, theirs }))).toStrictEqual({
            kind: 'clean',
            tree: tree ?? ABSENT,
          })
        }
      })

      test('of an unknown commit or in an unknown repository is git_not_found', async () => {
        const fixture = await unchanged()
        const { host, repository } = fixture
        const { commit } = await headOf(fixture)
        for (const [ours, theirs] of [
          [commit, ABSENT],
          [ABSENT, commit],
        ] as const) {
          expect(await host.merge(repository, { ours, theirs })).toStrictEqual(
            failure({ kind: 'git_not_found', what: 'commit' }),
          )
        }
        expect(await host.merge(unknown, { ours: commit, theirs: commit })).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('commit', () => {
      test('makes all changes at once', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const changes = [
          write('README.md', 'changed\n'),
          write('new/deep/file', 'new'),
          remove('catalog/deep/b.yaml'),
          write('bin/other', '#!/bin/sh\n', true),
        ]
        const made = value(
          await host.commit(repository, advance(await headOf(fixture), ...changes)),
        )
        expect(await headOf(fixture)).toStrictEqual(made)
        const { files } = value(await host.listFiles(repository, { commit: made.commit }))
        expect(
          await collect(host.readFiles(repository, made.commit, files, BYTES_MAX)),
        ).toStrictEqual(
          new Map([
            ['README.md', 'changed\n'],
            ['bin/other', '#!/bin/sh\n'],
            ['bin/run', '#!/bin/sh\n'],
            ['catalog/a.yaml', 'a: 1\n'],
            ['new/deep/file', 'new'],
          ]),
        )
        const executables = files.filter(({ executable }) => executable)
        expect(executables.map((file) => String(file.path))).toStrictEqual(['bin/other', 'bin/run'])
      })

      test('creates a branch at the given parent and leaves others alone', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const first = await headOf(fixture)
        const second = value(await host.commit(repository, advance(first, write('later', 'x'))))
        const name = branch('promote/payments/shop/staging')
        const made = value(await host.commit(repository, create(first, name, write('x', 'x'))))
        expect(await headOf(fixture, name)).toStrictEqual(made)
        expect(await headOf(fixture)).toStrictEqual(second)
        const { files } = value(await host.listFiles(repository, { commit: made.commit }))
        expect(files.some((file) => file.path === 'later')).toBe(false)
      })

      test('refuses a branch that is not where it was expected', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const first = await headOf(fixture)
        const second = value(await host.commit(repository, advance(first, write('x', '1'))))
        const conflict = failure({ kind: 'git_conflict', branch: MAIN })
        expect(await host.commit(repository, advance(first, write('y', '2')))).toStrictEqual(
          conflict,
        )
        expect(await headOf(fixture)).toStrictEqual(second)

        await fixture.resetBranch(MAIN, first.commit)
        expect(await host.commit(repository, advance(second, write('y', '2')))).toStrictEqual(
          conflict,
        )
        expect(await headOf(fixture)).toStrictEqual(first)
      })

      test('replaces a branch by one commit on another parent, if it is where it was expected', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const first = await headOf(fixture)
        const name = branch('topic')
        const old = value(await host.commit(repository, create(first, name, write('x', '1'))))
        const { number } = await openPull(fixture, 'topic')
        const main = value(await host.commit(repository, advance(first, write('y', '2'))))
        const request = {
          ...create(main, name, write('x', '3')),
          from: { kind: 'replace', expected: old.commit, parent: main.commit },
        } as const
        const made = value(await host.commit(repository, request))
        expect(value(await host.head(repository, name))).toStrictEqual(made)
        const own = { of: made.commit, without: main.commit, limit: 10 }
        const commits = value(await host.listCommits(repository, own))
        expect(commits.map(({ id, parents }) => [id, parents])).toStrictEqual([
          [made.commit, [main.commit]],
        ])
        const [pull] = value(await host.findPullRequests(repository, { number }))
        expect([pull?.state, pull?.head.commit]).toStrictEqual(['open', made.commit])
        const late = { ...request, changes: [write('x', '4')] }
        expect(await host.commit(repository, late)).toStrictEqual(
          failure({ kind: 'git_conflict', branch: name }),
        )
        const absent = { ...request, branch: branch('absent') }
        expect(await host.commit(repository, absent)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'branch' }),
        )
      })

      test('refuses to create a branch that exists, wherever it stands', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const made = await topic(fixture, 'topic')
        for (const parent of [await headOf(fixture), made]) {
          expect(
            await host.commit(repository, create(parent, branch('topic'), write('y', 'y'))),
          ).toStrictEqual(failure({ kind: 'git_branch_exists', branch: branch('topic') }))
        }
        expect(await headOf(fixture, branch('topic'))).toStrictEqual(made)
      })

      test('a branch rules out those above and below it, and none of a similar name', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await headOf(fixture)
        for (const name of ['a/b', 'c', 'd/e/f', 'g-h', 'g/hi', 'g/h.2', 'gh']) {
          await topic(fixture, name, 'existing.txt')
        }
        for (const [by, name] of [
          ['a/b', 'a/b/c'],
          ['c', 'c/d/e'],
          ['d/e/f', 'd/e'],
          ['d/e/f', 'd'],
        ] as const) {
          const blocked = branch(name)
          expect(
            await host.commit(repository, create(head, blocked, write('x', 'x'))),
          ).toStrictEqual(failure({ kind: 'git_branch_blocked', branch: blocked, by }))
          expect(await host.head(repository, blocked)).toStrictEqual(
            failure({ kind: 'git_not_found', what: 'branch' }),
          )
        }
        const request = create(head, branch('g/h'), write('x', 'x'))
        expect((await host.commit(repository, request)).ok).toBe(true)
      })

      test('refuses changes that change nothing', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await headOf(fixture)
        const nothing = failure({ kind: 'git_nothing_to_commit' })
        const same = write('README.md', 'hello\n')
        expect(await host.commit(repository, advance(head, same))).toStrictEqual(nothing)
        expect(await host.commit(repository, advance(head))).toStrictEqual(nothing)
        expect(await host.commit(repository, create(head, branch('topic'), same))).toStrictEqual(
          nothing,
        )
        expect(await headOf(fixture)).toStrictEqual(head)
        expect((await host.head(repository, branch('topic'))).ok).toBe(false)
      })

      test('is refused for an unknown repository, branch or parent', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await headOf(fixture)
        const change = write('x', 'x')
        expect(await host.commit(unknown, advance(head, change))).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
        const elsewhere = { ...head, branch: branch('absent') }
        expect(await host.commit(repository, advance(elsewhere, change))).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'branch' }),
        )
        const orphan = { ...head, commit: ABSENT }
        expect(await host.commit(repository, create(orphan, branch('t'), change))).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'commit' }),
        )
      })

      test('by ten at once from the same head is done by exactly one', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await headOf(fixture)
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            host.commit(repository, advance(head, write(`race-${index}`, 'x'))),
          ),
        )
        const won = results.filter(({ ok }) => ok)
        const lost = results.filter(({ ok }) => !ok)
        expect(won).toStrictEqual([{ ok: true, value: await headOf(fixture) }])
        expect(lost).toStrictEqual(
          Array.from({ length: 9 }, () => failure({ kind: 'git_conflict', branch: MAIN })),
        )
        const { commit } = await headOf(fixture)
        const { files } = value(await host.listFiles(repository, { commit }))
        expect(files.filter((file) => file.path.startsWith('race-')).length).toBe(1)
      })

      test('by ten at once creating one branch is done by exactly one', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await headOf(fixture)
        const name = branch('race')
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            host.commit(repository, create(head, name, write('x', `${index}`))),
          ),
        )
        expect(results.filter(({ ok }) => ok)).toStrictEqual([
          { ok: true, value: await headOf(fixture, name) },
        ])
        expect(results.filter(({ ok }) => !ok)).toStrictEqual(
          Array.from({ length: 9 }, () => failure({ kind: 'git_branch_exists', branch: name })),
        )
      })
    })
  })
}
