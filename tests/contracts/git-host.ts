import { describe, expect, test } from 'bun:test'
import {
  BranchName,
  ObjectId,
  RepositoryOwner,
  RepositoryPart,
  RepositoryPath,
  TeamName,
  type RepositoryId,
} from '#src/lib/names.ts'
import type {
  CommitRequest,
  FileChange,
  FileContent,
  GitFailure,
  GitHost,
  Head,
  NewRepository,
  PullRequest,
  Release,
} from '#src/lib/ports/git-host.ts'
import type { PullRequestFacts } from '#src/lib/ports/git-host/pull-request.ts'
import type { Result } from '#src/lib/result.ts'

/** A host with one repository, and actions that the port does not have. */
export interface GitHostFixture extends AsyncDisposable {
  readonly host: GitHost
  /** Has one commit of `SEED` on `main`. */
  readonly repository: RepositoryId
  /** A commit with entries that the port cannot write, on a new or moved branch. */
  plant(branch: BranchName, entries: readonly PlantedEntry[]): Promise<void>
  deleteBranch(branch: BranchName): Promise<void>
  /** Moves a branch like a forced push. */
  resetBranch(branch: BranchName, commit: ObjectId): Promise<void>
  mergePullRequest(number: number): Promise<void>
  closePullRequest(number: number): Promise<void>
  /**
   * Checks, reviews and the like as people and their machines give them, so that the host says these facts. `null`: the host has none of
   * it, or the suite cannot act for these people.
   */
  readonly judge: ((number: number, facts: Partial<PullRequestFacts>) => Promise<void>) | null
  /** Facts that the host has nothing like. */
  readonly lacks: readonly (keyof PullRequestFacts)[]
  publishRelease(release: {
    readonly tag: string
    readonly draft: boolean
    readonly prerelease: boolean
    readonly assets: readonly {
      readonly filename: string
      readonly bytes: Uint8Array
    }[]
  }): Promise<void>
}

interface PlantedEntry {
  readonly path: string
  readonly mode: '100644' | '120000' | '160000'
  /** Of a submodule: id of the commit. */
  readonly content: string
}

export const branch = (text: string) => mint(BranchName, text)
export const path = (text: string) => mint(RepositoryPath, text)
export const oid = (text: string) => mint(ObjectId, text)
export const repositoryId = (owner: string, name: string): RepositoryId => ({
  owner: mint(RepositoryOwner, owner),
  name: mint(RepositoryPart, name),
})

export const MAIN = branch('main')
export const TEAM = mint(TeamName, 'payments')
export const AUTHOR = { name: 'Ada Example', email: 'ada@example.com' }
export const bytes = (text: string) => new TextEncoder().encode(text)
export const write = (file: string, content: string | Uint8Array, executable?: boolean) => ({
  kind: 'write' as const,
  path: path(file),
  bytes: typeof content === 'string' ? bytes(content) : content,
  ...(executable === undefined ? {} : { executable }),
})
export const remove = (file: string): FileChange => ({
  kind: 'delete',
  path: path(file),
})

export const SEED = [
  write('README.md', 'hello\n'),
  write('catalog/a.yaml', 'a: 1\n'),
  write('catalog/deep/b.yaml', 'b: 1\n'),
  write('bin/run', '#!/bin/sh\n', true),
]

export const ABSENT = oid('1234567890123456789012345678901234567890')

export function value<Value>(result: Result<Value, { readonly kind: string }>): Value {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.error)}`)
  return result.value
}

export const failure = (error: GitFailure) => ({ ok: false as const, error })

/** Larger than any file of the suite. */
export const BYTES_MAX = 4 * 1024 * 1024

export async function collect(
  reads: AsyncIterable<Result<FileContent, GitFailure>>,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for await (const read of reads) {
    const file = value(read)
    texts.set(
      file.path,
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes ?? bytes('too large')),
    )
  }
  return texts
}

/** Name of the repository that the suite creates. Unique, so that a real host can be shared. */
export const FRESH = `fresh.service_${process.pid}-${Date.now()}`
export const advance = (head: Head, ...changes: FileChange[]): CommitRequest => ({
  branch: head.branch,
  from: { kind: 'advance', expected: head.commit },
  changes,
  message: 'Change something',
  author: AUTHOR,
})
export const create = (head: Head, to: BranchName, ...changes: FileChange[]): CommitRequest => ({
  ...advance(head, ...changes),
  branch: to,
  from: { kind: 'create', parent: head.commit },
})
export const headOf = async ({ host, repository }: GitHostFixture, name?: BranchName) =>
  value(await host.head(repository, name))
export const topic = async (fixture: GitHostFixture, name: string, file = `${name}.txt`) => {
  const request = create(await headOf(fixture), branch(name), write(file, name))
  return value(await fixture.host.commit(fixture.repository, request))
}
const draft = (head: string) => ({
  head: branch(head),
  base: MAIN,
  title: `[Promote] payments/shop → staging: “${head}”`,
  body: 'First line\n\nSecond — with `code`, 日本語 and 🚀\n',
  author: AUTHOR,
})
export const openPull = async ({ host, repository }: GitHostFixture, head: string) =>
  value(await host.openPullRequest(repository, draft(head))).pullRequest
const pull = async ({ host, repository }: GitHostFixture, number: number) => {
  const [found] = value(await host.findPullRequests(repository, { number }))
  if (found === undefined) throw new Error(`no pull request ${number}`)
  return found
}

/** What only a host has, and git does not. `owner`: of the repositories that the suite creates, or looks for in vain. */
export function hostApiContract(name: string, open: () => Promise<GitHostFixture>, owner = 'acme') {
  describe(`${name} keeps the HostApi contract`, () => {
    const unknown = repositoryId(owner, `unknown-${FRESH}`)

    describe('createRepository', () => {
      const fresh = repositoryId(owner, FRESH)
      const request = (marker: string): NewRepository => ({
        description: 'A “service” with\ttabs, "quotes" and \\ # ; signs',
        team: TEAM,
        marker,
        files: [write('README.md', `of ${marker}`), write('run', 'x', true)],
        message: 'Initial commit\n\nRun: 1\n',
        author: AUTHOR,
      })

      test('makes a repository with one first commit', async () => {
        await using fixture = await open()
        const { host } = fixture
        const made = value(await host.createRepository(fresh, request('run-1')))
        expect(made.created).toBe(true)
        expect(made.url).toContain(`${owner}/${FRESH}`)
        expect(await host.head(fresh)).toStrictEqual({
          ok: true,
          value: made.head,
        })
        const { files } = value(await host.listFiles(fresh, made.head))
        expect(files.map(({ path, executable }) => [String(path), executable])).toStrictEqual([
          ['README.md', false],
          ['run', true],
        ])
      })

      test('repeated with the same marker answers with the existing one', async () => {
        await using fixture = await open()
        const { host } = fixture
        const first = value(await host.createRepository(fresh, request('run "1" \\ #;\n→')))
        const again = await host.createRepository(fresh, request('run "1" \\ #;\n→'))
        expect(again).toStrictEqual({
          ok: true,
          value: { ...first, created: false },
        })
      })

      test('refuses the name of any other repository', async () => {
        await using fixture = await open()
        const { host } = fixture
        const first = value(await host.createRepository(fresh, request('run-1')))
        expect(await host.createRepository(fresh, request('run-2'))).toStrictEqual(
          failure({ kind: 'git_repository_exists' }),
        )
        expect(await host.head(fresh)).toStrictEqual({
          ok: true,
          value: first.head,
        })
      })

      test('by ten at once with different markers is done by exactly one', async () => {
        await using fixture = await open()
        const { host } = fixture
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            host.createRepository(fresh, request(`run-${index}`)),
          ),
        )
        expect(results.filter(({ ok }) => ok).length).toBe(1)
        expect(results.filter(({ ok }) => !ok)).toStrictEqual(
          Array.from({ length: 9 }, () => failure({ kind: 'git_repository_exists' })),
        )
        const winner = results.findIndex(({ ok }) => ok)
        const { commit } = value(await host.head(fresh))
        const readme = [{ path: path('README.md') }]
        expect(await collect(host.readFiles(fresh, commit, readme, BYTES_MAX))).toStrictEqual(
          new Map([['README.md', `of run-${winner}`]]),
        )
      })

      test('by ten at once with one marker makes one', async () => {
        await using fixture = await open()
        const { host } = fixture
        const results = await Promise.all(
          Array.from({ length: 10 }, () => host.createRepository(fresh, request('run-1'))),
        )
        const made = results.map(value)
        expect(made.filter(({ created }) => created).length).toBe(1)
        expect(new Set(made.map(({ head }) => head.commit)).size).toBe(1)
      })
    })

    test('the pages of files and commits are where those of pull requests are', async () => {
      await using fixture = await open()
      const { host, repository } = fixture
      const { commit } = value(await host.head(repository))
      const file = { kind: 'file', commit, path: path('catalog/a b#c%.yaml') } as const
      const pages = [
        host.pageUrl(repository, { ...file, line: 12 }),
        host.pageUrl(repository, { ...file, line: null }),
        host.pageUrl(repository, { kind: 'commit', commit }),
      ]
      await topic(fixture, 'topic')
      const { url } = await openPull(fixture, 'topic')
      // GitLab's are merge requests.
      const [root] = url.split(/\/(?:pull|merge_requests)/)
      expect(pages.map((url) => url.replace(/(blob|src\/commit)/, 'FILES'))).toStrictEqual([
        `${root}/FILES/${commit}/catalog/a%20b%23c%25.yaml#L12`,
        `${root}/FILES/${commit}/catalog/a%20b%23c%25.yaml`,
        `${root}/commit/${commit}`,
      ])
    })

    describe('pull requests', () => {
      test('an opened one is as requested', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await topic(fixture, 'topic')
        const opened = value(await host.openPullRequest(repository, draft('topic')))
        expect(opened.created).toBe(true)
        const {
          url,
          mergeable,
          draft: isDraft = false,
          createdAt,
          createdBy,
          ...rest
        } = opened.pullRequest
        expect(isDraft).toBe(false)
        expect(rest).toStrictEqual({
          number: opened.pullRequest.number,
          title: '[Promote] payments/shop → staging: “topic”',
          body: 'First line\n\nSecond — with `code`, 日本語 and 🚀\n',
          state: 'open',
          head,
          base: MAIN,
          closedAt: null,
          mergeCommit: null,
          mergedBy: null,
        })
        expect(createdBy).not.toBe('')
        expect(Number.isInteger(createdAt)).toBe(true)
        expect(['clean', 'unknown']).toContain(mergeable)
        expect(URL.canParse(url)).toBe(true)
      })

      test('opening the same again answers with the open one, unchanged', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic')
        const first = await openPull(fixture, 'topic')
        const again = {
          ...draft('topic'),
          title: 'another title',
          body: 'another body',
        }
        const second = value(await host.openPullRequest(repository, again))
        expect(second).toStrictEqual({ created: false, pullRequest: first })
      })

      test('ten at once open one', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic')
        const results = await Promise.all(
          Array.from({ length: 10 }, () => host.openPullRequest(repository, draft('topic'))),
        )
        const opened = results.map(value)
        expect(opened.filter(({ created }) => created).length).toBe(1)
        expect(new Set(opened.map(({ pullRequest }) => pullRequest.number)).size).toBe(1)
        expect(value(await host.findPullRequests(repository, {})).length).toBe(1)
      })

      test('a head without commits of its own is git_nothing_to_commit', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await topic(fixture, 'topic')
        await fixture.resetBranch(branch('topic'), (await headOf(fixture)).commit)
        const nothing = failure({ kind: 'git_nothing_to_commit' })
        expect(await host.openPullRequest(repository, draft('topic'))).toStrictEqual(nothing)
        await fixture.resetBranch(branch('topic'), head.commit)
        expect((await host.openPullRequest(repository, draft('topic'))).ok).toBe(true)
      })

      test('an unknown repository, head or base is git_not_found', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic')
        const missing = failure({ kind: 'git_not_found', what: 'branch' })
        expect(await host.openPullRequest(repository, draft('absent'))).toStrictEqual(missing)
        expect(
          await host.openPullRequest(repository, {
            ...draft('topic'),
            base: branch('absent'),
          }),
        ).toStrictEqual(missing)
        const nowhere = failure({ kind: 'git_not_found', what: 'repository' })
        expect(await host.openPullRequest(unknown, draft('topic'))).toStrictEqual(nowhere)
        expect(await host.findPullRequests(unknown, {})).toStrictEqual(nowhere)
      })

      test('are found by number, by head and by state, newest first, up to a limit', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const numbers = []
        for (const name of ['one', 'two', 'three']) {
          await topic(fixture, name)
          numbers.push((await openPull(fixture, name)).number)
        }
        const [one = 0, two = 0, three = 0] = numbers
        await fixture.closePullRequest(two)
        const find = async (filter: Parameters<GitHost['findPullRequests']>[1]) =>
          value(await host.findPullRequests(repository, filter)).map(({ number }) => number)
        expect(await find({})).toStrictEqual([three, two, one])
        expect(await find({ limit: 2 })).toStrictEqual([three, two])
        expect(await find({ state: 'open' })).toStrictEqual([three, one])
        expect(await find({ state: 'closed' })).toStrictEqual([two])
        expect(await find({ state: 'merged' })).toStrictEqual([])
        expect(await find({ head: branch('two') })).toStrictEqual([two])
        expect(await find({ head: branch('absent') })).toStrictEqual([])
        expect(await find({ head: branch('two'), state: 'open' })).toStrictEqual([])
        expect(await find({ number: one })).toStrictEqual([one])
        expect(await find({ number: 4711 })).toStrictEqual([])
      })

      test('are found by base, and by head and base', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        for (const name of ['one', 'one-deep', 'release']) await topic(fixture, name)
        const release = branch('release')
        const into = async (head: string, base: BranchName) =>
          value(await host.openPullRequest(repository, { ...draft(head), base })).pullRequest.number
        const one = await into('one', MAIN)
        const deep = await into('one-deep', MAIN)
        const elsewhere = await into('one', release)
        const find = async (filter: Parameters<GitHost['findPullRequests']>[1]) =>
          value(await host.findPullRequests(repository, filter)).map(({ number }) => number)
        expect(await find({ base: MAIN })).toStrictEqual([deep, one])
        expect(await find({ base: MAIN, limit: 1 })).toStrictEqual([deep])
        expect(await find({ base: release })).toStrictEqual([elsewhere])
        expect(await find({ base: branch('absent') })).toStrictEqual([])
        expect(await find({ head: branch('one') })).toStrictEqual([elsewhere, one])
        expect(await find({ head: branch('one'), base: MAIN })).toStrictEqual([one])
        expect(await find({ head: branch('one'), base: release })).toStrictEqual([elsewhere])
        await fixture.closePullRequest(one)
        expect(await find({ base: MAIN, state: 'open' })).toStrictEqual([deep])
        expect(await find({ head: branch('one'), base: MAIN, state: 'closed' })).toStrictEqual([
          one,
        ])
      })

      test('a merged one says so, and its change is on the base', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic')
        const { number } = await openPull(fixture, 'topic')
        await fixture.mergePullRequest(number)
        const merged = await pull(fixture, number)
        const main = await headOf(fixture)
        expect([merged.state, merged.mergeable]).toStrictEqual(['merged', 'unknown'])
        expect(merged.mergeCommit).toBe(main.commit)
        expect(merged.closedAt).not.toBeNull()
        expect(merged.mergedBy).toMatch(/^\w/)
        const { files } = value(await host.listFiles(repository, main))
        expect(files.some((file) => file.path === 'topic.txt')).toBe(true)
      })

      test('a closed one says so, and keeps its head when the branch goes', async () => {
        await using fixture = await open()
        const head = await topic(fixture, 'topic')
        const { number } = await openPull(fixture, 'topic')
        await fixture.closePullRequest(number)
        await fixture.deleteBranch(branch('topic'))
        const closed = await pull(fixture, number)
        expect([closed.state, closed.mergeable, closed.mergeCommit]).toStrictEqual([
          'closed',
          'unknown',
          null,
        ])
        expect(closed.head).toStrictEqual(head)
        expect(closed.closedAt).not.toBeNull()
      })

      test('neither a closed nor a merged one is in the way of the next', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic')
        const first = await openPull(fixture, 'topic')
        await fixture.closePullRequest(first.number)
        const second = await openPull(fixture, 'topic')
        await fixture.mergePullRequest(second.number)
        const head = await headOf(fixture, branch('topic'))
        value(await host.commit(repository, advance(head, write('more', 'more'))))
        const third = await openPull(fixture, 'topic')
        const numbers = [first, second, third].map(({ number }) => number)
        expect(numbers.toSorted((a, b) => a - b)).toStrictEqual(numbers)
        expect(new Set(numbers).size).toBe(3)
        const states: PullRequest['state'][] = []
        for (const number of numbers) states.push((await pull(fixture, number)).state)
        expect(states).toStrictEqual(['closed', 'merged', 'open'])
      })

      test('an open one follows its branch', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const head = await topic(fixture, 'topic')
        const { number } = await openPull(fixture, 'topic')
        const moved = value(await host.commit(repository, advance(head, write('more', 'more'))))
        expect((await pull(fixture, number)).head).toStrictEqual(moved)
      })

      test('one that cannot be merged is conflicting, once that is known', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic', 'README.md')
        const { number } = await openPull(fixture, 'topic')
        const main = await headOf(fixture)
        value(await host.commit(repository, advance(main, write('README.md', 'other\n'))))
        // Gitea keeps its former finding until it has computed the new one.
        let found = await pull(fixture, number)
        for (let attempts = 0; found.mergeable === 'clean' && attempts < 50; attempts += 1) {
          await Bun.sleep(100)
          found = await pull(fixture, number)
        }
        expect(['conflicting', 'unknown']).toContain(found.mergeable)
      })
    })

    describe('describePullRequests', () => {
      const describeAll = async ({ host, repository }: GitHostFixture) =>
        host.describePullRequests(
          repository,
          value(await host.findPullRequests(repository, { state: 'open' })),
        )

      test('of one that nobody has judged says so, and of none says nothing', async () => {
        await using fixture = await open()
        expect(await describeAll(fixture)).toStrictEqual(new Map())
        await topic(fixture, 'topic')
        const { number } = await openPull(fixture, 'topic')
        const facts = (await describeAll(fixture)).get(number)
        expect(facts).toMatchObject({ checks: 'none', review: 'none', draft: false })
        expect([false, null]).toContain(facts?.queued ?? null)
      })

      const judgements: readonly Partial<PullRequestFacts>[] = [
        { checks: 'passing' },
        { checks: 'failing', review: 'approved' },
        { checks: 'pending', review: 'changes_requested' },
        { review: 'required' },
        { draft: true },
        { queued: true },
      ]
      test('says that one conflicts, once that is known', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await topic(fixture, 'topic', 'README.md')
        const { number } = await openPull(fixture, 'topic')
        const main = await headOf(fixture)
        value(await host.commit(repository, advance(main, write('README.md', 'other\n'))))
        const mergeable = async () =>
          (await describeAll(fixture)).get(number)?.mergeable ?? 'not said'
        let found = await mergeable()
        for (let attempts = 0; found === 'clean' && attempts < 50; attempts += 1) {
          await Bun.sleep(100)
          found = await mergeable()
        }
        expect(['conflicting', 'unknown']).toContain(found)
      })

      for (const judged of judgements) {
        test(`says that one has ${JSON.stringify(judged)}, and not the other one`, async () => {
          await using fixture = await open()
          const { judge, lacks } = fixture
          if (judge === null || lacks.some((fact) => fact in judged)) return
          for (const name of ['one', 'other']) await topic(fixture, name)
          const one = await openPull(fixture, 'one')
          const other = await openPull(fixture, 'other')
          await judge(one.number, judged)
          const facts = await describeAll(fixture)
          expect(new Set(facts.keys())).toStrictEqual(new Set([one.number, other.number]))
          expect(facts.get(one.number)).toMatchObject(judged)
          // A rule that asks for reviews is one of the branch.
          if (judged.review !== 'required')
            expect(facts.get(other.number)).not.toMatchObject(judged)
        })
      }
    })

    describe('findMergedPullRequest', () => {
      const find = async ({ host, repository }: GitHostFixture, commit: ObjectId, base = MAIN) =>
        value(await host.findMergedPullRequest(repository, { commit, base }))

      test('finds it by its merge commit', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        const seed = await headOf(fixture)
        await topic(fixture, 'topic')
        const { number } = await openPull(fixture, 'topic')
        value(await host.commit(repository, advance(seed, write('README.md', 'changed\n'))))
        const pushed = await headOf(fixture)
        await fixture.mergePullRequest(number)
        const merge = await headOf(fixture)
        const merged = await pull(fixture, number)
        expect(merged.mergedBy).not.toBeNull()
        expect(await find(fixture, merge.commit)).toStrictEqual(merged)
        await fixture.deleteBranch(branch('topic'))
        expect((await find(fixture, merge.commit))?.number).toBe(number)
        for (const { commit } of [seed, pushed]) expect(await find(fixture, commit)).toBeNull()
        expect(await find(fixture, merge.commit, branch('absent'))).toBeNull()
      })

      test('finds none that was not merged, none for an unknown commit, and no unknown repository', async () => {
        await using fixture = await open()
        const proposed = await topic(fixture, 'open')
        await openPull(fixture, 'open')
        const closed = await topic(fixture, 'closed')
        await fixture.closePullRequest((await openPull(fixture, 'closed')).number)
        for (const commit of [proposed.commit, closed.commit, ABSENT]) {
          expect(await find(fixture, commit)).toBeNull()
        }
        const nowhere = { commit: proposed.commit, base: MAIN }
        expect(await fixture.host.findMergedPullRequest(unknown, nowhere)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })
    })

    describe('releases', () => {
      const asset = {
        filename: 'tool-linux-x64',
        bytes: bytes('x'.repeat(300_000)),
      }
      const publish = (fixture: GitHostFixture, tag: string, more: object = {}) =>
        fixture.publishRelease({
          tag,
          draft: false,
          prerelease: false,
          assets: [asset],
          ...more,
        })

      test('of a repository without any are none', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        expect(await host.releases.list(repository)).toStrictEqual({
          ok: true,
          value: [],
        })
        expect(await host.releases.list(unknown)).toStrictEqual(
          failure({ kind: 'git_not_found', what: 'repository' }),
        )
      })

      test('are listed newest first, drafts and pre-releases included', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await publish(fixture, 'tool-v1.0.0')
        await Bun.sleep(2)
        await publish(fixture, 'tool-v1.1.0-rc.1', { prerelease: true })
        await publish(fixture, 'tool-v2.0.0', { draft: true })
        const listed = value(await host.releases.list(repository))
        const published = listed.filter(({ draft }) => !draft)
        const show = ({ tag, draft, prerelease }: Release) => [tag, draft, prerelease]
        expect(published.map(show)).toStrictEqual([
          ['tool-v1.1.0-rc.1', false, true],
          ['tool-v1.0.0', false, false],
        ])
        const drafts = listed.filter(({ draft }) => draft)
        expect(drafts.map(({ tag, publishedAt }) => [tag, publishedAt])).toStrictEqual([
          ['tool-v2.0.0', null],
        ])
        const [first] = published
        expect(first?.assets.map(({ filename, sizeBytes }) => [filename, sizeBytes])).toStrictEqual(
          [['tool-linux-x64', 300_000]],
        )
        const sha256 = new Bun.CryptoHasher('sha256').update(asset.bytes).digest('hex')
        expect([sha256, null]).toContain(first?.assets[0]?.sha256 ?? null)
      })

      test('give the bytes of an asset', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await publish(fixture, 'tool-v1.0.0')
        const [release] = value(await host.releases.list(repository))
        const [listed] = release?.assets ?? []
        if (listed === undefined) throw new Error('no asset')
        const { signal } = new AbortController()
        const stream = value(await host.releases.openAsset(repository, listed, signal))
        expect(Buffer.from(await new Response(stream).bytes()).equals(asset.bytes)).toBe(true)
        expect(
          await host.releases.openAsset(repository, { ...listed, id: '4711' }, signal),
        ).toStrictEqual(failure({ kind: 'git_not_found', what: 'asset' }))
      })

      test('end an asset with an error when its signal says so', async () => {
        await using fixture = await open()
        const { host, repository } = fixture
        await publish(fixture, 'tool-v1.0.0', {
          assets: [{ ...asset, bytes: new Uint8Array(8 * 1024 * 1024) }],
        })
        const [release] = value(await host.releases.list(repository))
        const [listed] = release?.assets ?? []
        if (listed === undefined) throw new Error('no asset')
        const controller = new AbortController()
        const stream = value(await host.releases.openAsset(repository, listed, controller.signal))
        const reader = stream.getReader()
        expect((await reader.read()).done).toBe(false)
        controller.abort(new Error('the client left'))
        const drain = async () => {
          for (;;) if ((await reader.read()).done) return 'whole'
        }
        expect(await drain().catch(() => 'broken off')).toBe('broken off')
      })
    })
  })
}
function mint<Value>(name: { parse(text: unknown): Value | undefined }, text: string): Value {
  const parsed = name.parse(text)
  if (parsed === undefined) throw new Error(`${text} is not a name of that kind`)
  return parsed
}
