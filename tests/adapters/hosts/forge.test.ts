import { describe, expect, test } from 'bun:test'
import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { publishRelease } from '#src/demo/releases.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { packNowAndThen } from '#src/lib/git/maintenance.ts'
import { judgeVersion } from '#src/lib/git/version.ts'
import { err, ok } from '#src/lib/result.ts'
import { gitContentContract } from '#tests/contracts/git-content.ts'
import {
  AUTHOR,
  TEAM,
  branch,
  BYTES_MAX,
  bytes,
  collect,
  hostApiContract,
  MAIN,
  oid,
  path,
  remove,
  repositoryId,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { processesIn } from '#tests/support/processes-in.ts'
import { until } from '#tests/support/until.ts'
import { git, openLocal, PUBLIC_URL, type LocalFixture } from './open-local.ts'

gitContentContract('local', openLocal)
hostApiContract('local', openLocal)

const GRACE = { name: 'Grace', email: 'grace@example.com' }

async function topic(
  { host, repository }: Pick<LocalFixture, 'host' | 'repository'>,
  name: string,
  file = `${name}.txt`,
) {
  const { commit } = value(await host.head(repository))
  const from = { kind: 'create', parent: commit } as const
  const changes = [write(file, `${name}\n`)]
  const request = { branch: branch(name), from, changes, message: name, author: AUTHOR }
  return value(await host.commit(repository, request))
}

async function changesOf({ host, repository }: LocalFixture, number: number) {
  const { range } = value(await host.review(repository, number))
  return value(await host.browse.changes(repository, range))
}

async function proposal(fixture: LocalFixture, name: string, file?: string) {
  await topic(fixture, name, file)
  const draft = {
    head: branch(name),
    base: MAIN,
    title: `Add ${name} → it`,
    body: '',
    author: AUTHOR,
  }
  return value(await fixture.host.openPullRequest(fixture.repository, draft)).pullRequest
}

const show = async ({ host, repository }: LocalFixture, number: number) =>
  value(await host.findPullRequests(repository, { number }))[0]

describe('local: commits', () => {
  test('carry message, author and time as given, and nothing that an author could smuggle in', async () => {
    await using fixture = await openLocal(() => 1_700_000_000_999)
    const { host, repository, scratch, bare } = fixture
    const head = value(await host.head(repository))
    const made = await host.commit(repository, {
      branch: MAIN,
      from: { kind: 'advance', expected: head.commit },
      changes: [write('x', 'x')],
      message: 'Subject →\n\nBody\n\nPortico-Run: 1\n',
      author: { name: 'Eve\ncommitter Mallory <m@m> 0 +0000', email: 'eve> <@example.com' },
    })
    const raw = await git(scratch, [`--git-dir=${bare}`, 'cat-file', 'commit', value(made).commit])
    const who = 'Eve committer Mallory  m@m  0 +0000 <eve@example.com> 1700000000 +0000'
    expect(raw.split('\n').slice(2)).toStrictEqual([
      `author ${who}`,
      `committer ${who}`,
      '',
      'Subject →',
      '',
      'Body',
      '',
      'Portico-Run: 1',
      '',
    ])
  })

  test('that failed leave neither refs nor crash reports', async () => {
    await using fixture = await openLocal()
    const { host, repository, scratch, bare } = fixture
    const { commit: expected } = value(await host.head(repository))
    const before = await git(scratch, [`--git-dir=${bare}`, 'for-each-ref'])
    const from = { kind: 'advance', expected } as const
    const rest = { message: 'm', author: AUTHOR }
    for (const changes of [
      [write('a', '1'), write('a', '2')],
      [write('a/b', '1'), write('a', '2')],
      [write('a', '1'), remove('a')],
      [write('README.md', 'hello\n')],
    ]) {
      const outcome = await host.commit(repository, { branch: MAIN, from, changes, ...rest })
      expect(outcome.ok).toBe(false)
    }
    expect(await git(scratch, [`--git-dir=${bare}`, 'for-each-ref'])).toBe(before)
    expect((await readdir(bare)).filter((name) => name.startsWith('fast_import'))).toStrictEqual([])
  })

  test('and reading go on where a branch and a tag are called HEAD', async () => {
    await using fixture = await openLocal()
    const { host, repository, scratch, bare } = fixture
    const first = value(await host.head(repository))
    const advance = (expected: typeof first.commit, name: string) =>
      host.commit(repository, {
        branch: MAIN,
        from: { kind: 'advance', expected },
        changes: [write(name, name)],
        message: name,
        author: AUTHOR,
      })
    const second = value(await advance(first.commit, 'second'))
    for (const ref of ['refs/heads/HEAD', 'refs/tags/HEAD']) {
      await git(scratch, [`--git-dir=${bare}`, 'update-ref', ref, first.commit])
    }
    expect(await host.head(repository)).toStrictEqual({ ok: true, value: second })
    const third = value(await advance(second.commit, 'third'))
    expect(await host.head(repository)).toStrictEqual({ ok: true, value: third })
    const { files } = value(await host.listFiles(repository, { commit: third.commit }))
    expect(files.map(({ path }) => String(path))).toContain('third')
    await fixture.publishRelease({ tag: 'v1', draft: false, prerelease: false, assets: [] })
    const tag = await git(scratch, [`--git-dir=${bare}`, 'rev-parse', 'refs/tags/v1'])
    expect(tag.trim()).toBe(third.commit)
  })
})

describe('local: pull requests', () => {
  test('are merged by a merge commit of whoever merges', async () => {
    await using fixture = await openLocal(() => 1_700_000_000_000)
    const { host, repository, scratch, bare } = fixture
    const { number, head } = await proposal(fixture, 'topic')
    const before = value(await host.head(repository))
    const merged = value(
      await host.mergePullRequest(repository, number, { by: GRACE, expectedHead: head.commit }),
    )
    const main = value(await host.head(repository))
    expect([merged.state, merged.mergeCommit]).toStrictEqual(['merged', main.commit])
    expect(merged.url).toBe(`${PUBLIC_URL}/git/acme/gitops/pulls/1`)
    const format = '--format=%P%n%an <%ae> %at%n%B'
    const log = await git(scratch, [`--git-dir=${bare}`, 'log', '-1', format, main.commit])
    expect(log.trimEnd().split('\n')).toStrictEqual([
      `${before.commit} ${head.commit}`,
      'Grace <grace@example.com> 1700000000',
      'Merge pull request #1 from topic',
      '',
      'Add topic → it',
    ])
    const again = await host.mergePullRequest(repository, number, { by: GRACE })
    expect(again).toStrictEqual({
      ok: false,
      error: { kind: 'forge_pull_request_not_open', state: 'merged' },
    })
  })

  test('are not merged when unknown, closed, moved or in conflict', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const merge = async (number: number, expectedHead?: string) => {
      const by = { by: GRACE, ...(expectedHead && { expectedHead: oid(expectedHead) }) }
      const outcome = await host.mergePullRequest(repository, number, by)
      return outcome.ok ? 'merged' : outcome.error
    }
    const closed = await proposal(fixture, 'closed')
    value(await host.closePullRequest(repository, closed.number, GRACE))
    const moved = await proposal(fixture, 'moved')
    const one = await proposal(fixture, 'one', 'README.md')
    const other = await proposal(fixture, 'other', 'README.md')

    expect(await merge(99)).toStrictEqual({ kind: 'forge_pull_request_not_found', number: 99 })
    expect(await merge(closed.number)).toStrictEqual({
      kind: 'forge_pull_request_not_open',
      state: 'closed',
    })
    expect(await merge(moved.number, closed.head.commit)).toStrictEqual({
      kind: 'forge_head_moved',
      head: moved.head.commit,
    })
    expect(await merge(one.number)).toBe('merged')
    const main = value(await host.head(repository))
    expect(await merge(other.number)).toStrictEqual({
      kind: 'forge_merge_conflict',
      rawPaths: ['README.md'],
    })
    expect((await show(fixture, other.number))?.mergeable).toBe('conflicting')
    expect(value(await host.head(repository))).toStrictEqual(main)
  })

  test.each(['merge', 'approve'] as const)(
    'that a push reaches in the middle of a %s stay as they are',
    async (act) => {
      let push = () => {}
      await using fixture = await openLocal(() => {
        push()
        return 1_700_000_000_000
      })
      const { host, repository, bare } = fixture
      const { number, head } = await proposal(fixture, 'topic')
      const main = value(await host.head(repository))
      const inBare = (...args: readonly string[]) =>
        Bun.spawnSync([
          'git',
          `--git-dir=${bare}`,
          '-c',
          'user.name=T',
          '-c',
          'user.email=t@t',
          ...args,
        ])
          .stdout.toString()
          .trim()
      push = () => {
        push = () => {}
        const pushed = inBare('commit-tree', '-p', head.commit, '-m', 'x', `${head.commit}^{tree}`)
        inBare('update-ref', 'refs/heads/topic', pushed)
      }
      const by = { issuer: 'i', subject: 's', ...GRACE }
      const request = { by, expectedHead: head.commit }
      const outcome = await (act === 'merge'
        ? host.mergePullRequest(repository, number, request)
        : host.approvePullRequest(repository, number, request))
      expect(outcome).toMatchObject({ ok: false, error: { kind: 'forge_head_moved' } })
      expect(value(await host.head(repository))).toStrictEqual(main)
      expect(value(await host.review(repository, number))).toMatchObject({
        pullRequest: { state: 'open' },
        approvals: [],
      })
    },
  )

  test('merged ten at once are all merged, one after the other', async () => {
    await using fixture = await openLocal()
    const { host, repository, scratch, bare } = fixture
    const numbers = []
    for (let index = 0; index < 10; index += 1) {
      numbers.push((await proposal(fixture, `topic-${index}`)).number)
    }
    const merged = await Promise.all(
      numbers.map((number) => host.mergePullRequest(repository, number, { by: GRACE })),
    )
    expect(merged.map((one) => value(one).state)).toStrictEqual(numbers.map(() => 'merged'))
    const count = await git(scratch, [
      `--git-dir=${bare}`,
      'rev-list',
      '--merges',
      '--count',
      'main',
    ])
    expect(count.trim()).toBe('10')
  })

  test('are described by as many trial merges as a list may take, and by more the next time', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    for (let index = 0; index < 12; index++) await proposal(fixture, `topic-${index}`)
    await proposal(fixture, 'base')
    value(await host.mergePullRequest(repository, 13, { by: AUTHOR }))
    const unknown = async () => {
      const pulls = value(await host.findPullRequests(repository, { state: 'open' }))
      const described = await host.describePullRequests(repository, pulls)
      return [pulls, [...described.values()]].map(
        (all) => all.filter(({ mergeable }) => mergeable === 'unknown').length,
      )
    }
    expect(await unknown()).toStrictEqual([12, 2])
    expect(await unknown()).toStrictEqual([0, 0])
  })

  test('are closed when their branch is gone, or nothing of their own is left on it', async () => {
    await using fixture = await openLocal(() => 1_700_000_000_000)
    const { host, repository } = fixture
    const gone = await proposal(fixture, 'gone')
    const reset = await proposal(fixture, 'reset')
    await fixture.deleteBranch(branch('gone'))
    await fixture.resetBranch(branch('reset'), value(await host.head(repository)).commit)
    const ended = { state: 'closed' as const, mergeable: 'unknown' as const }
    const closed = { ...ended, closedAt: 1_700_000_000_000 }
    expect(await show(fixture, gone.number)).toStrictEqual({ ...gone, ...closed })
    expect(await show(fixture, reset.number)).toStrictEqual({ ...reset, ...closed })
  })

  test('show what they change, while open and afterwards', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const { commit: parent } = value(await host.head(repository))
    const changes = [
      write('README.md', 'hello\nworld\n'),
      write('picture', Uint8Array.of(0, 1, 2)),
      remove('catalog/a.yaml'),
    ]
    const from = { kind: 'create', parent } as const
    const name = branch('topic')
    const rest = { message: 'm', author: AUTHOR }
    value(await host.commit(repository, { branch: name, from, changes, ...rest }))
    const draft = { head: name, base: MAIN, title: 't', body: '', author: AUTHOR }
    const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
    await proposal(fixture, 'other').then((other) => fixture.mergePullRequest(other.number))

    const expected = [
      { rawPath: 'README.md', change: 'modified', additions: 1, deletions: 0 },
      { rawPath: 'catalog/a.yaml', change: 'deleted', additions: 0, deletions: 1 },
      { rawPath: 'picture', change: 'added', additions: null, deletions: null },
    ] as const
    const open = await changesOf(fixture, number)
    expect(open.files).toStrictEqual([...expected])
    expect(open.diff.truncated).toBe(false)
    expect(open.diff.text).toContain('+++ b/README.md\n@@ -1 +1,2 @@\n hello\n+world\n')

    await fixture.mergePullRequest(number)
    expect(await changesOf(fixture, number)).toStrictEqual(open)
  })

  test('cut a long diff at a line and say so', async () => {
    await using fixture = await openLocal()
    const { host, repository } = fixture
    const { commit: parent } = value(await host.head(repository))
    const long = write('long', 'ä'.repeat(99).concat('\n').repeat(20_000))
    const from = { kind: 'create', parent } as const
    const rest = { changes: [long], message: 'm', author: AUTHOR }
    value(await host.commit(repository, { branch: branch('topic'), from, ...rest }))
    const draft = { head: branch('topic'), base: MAIN, title: 't', body: '', author: AUTHOR }
    const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
    const { text, truncated } = (await changesOf(fixture, number)).diff
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024)
    expect(text.endsWith(`+${'ä'.repeat(99)}\n`)).toBe(true)
  })

  test('are reported to the listener, with every ref that moved', async () => {
    await using fixture = await openLocal()
    const { reported, repository } = fixture
    const { number } = await proposal(fixture, 'topic')
    await fixture.mergePullRequest(number)
    expect(reported.every(([about]) => about === repository)).toBe(true)
    expect(reported.map(([, changes]) => changes.map(({ ref }) => ref))).toStrictEqual([
      ['refs/heads/topic'],
      ['refs/pull/1/head', 'refs/portico/pulls/1'],
      ['refs/heads/main', 'refs/portico/pulls/1'],
    ])
  })
})

describe('local: releases', () => {
  const release = {
    tag: 'tools/cli-v1.0.0',
    name: 'CLI 1.0.0',
    notes: 'First\n',
    assets: [{ filename: 'cli linux', bytes: bytes('binary') }],
  }

  test('have no asset outside their own folder', async () => {
    await using fixture = await openLocal()
    const { host, repository, bare } = fixture
    await publishRelease(bare, release, value(await host.head(repository)).commit, 1)
    const [asset] = value(await host.releases.list(repository))[0]?.assets ?? []
    if (asset === undefined) throw new Error('no asset')
    const [key = ''] = asset.id.split('/')
    const { signal } = new AbortController()
    for (const id of [
      `${key}/../release.json`,
      `${key}/..`,
      '../../config',
      `${'0'.repeat(64)}/x`,
    ]) {
      expect(await host.releases.openAsset(repository, { ...asset, id }, signal)).toStrictEqual({
        ok: false,
        error: { kind: 'git_not_found', what: 'asset' },
      })
    }
  })
})

describe('local: the place on disk', () => {
  test('lists its repositories, and nothing else that lies about', async () => {
    await using fixture = await openLocal()
    const { host, scratch } = fixture
    const request = {
      description: '',
      team: TEAM,
      marker: 'm',
      files: [],
      message: 'm',
      author: AUTHOR,
    }
    value(await host.createRepository(repositoryId('beta', 'one'), request))
    await mkdir(join(scratch, 'git/acme/.new-half'), { recursive: true })
    await mkdir(join(scratch, 'git/.hidden/x.git'), { recursive: true })
    await writeFile(join(scratch, 'git/note'), 'x')
    expect(await host.repositories()).toStrictEqual({
      ok: true,
      value: [repositoryId('acme', 'gitops'), repositoryId('beta', 'one')],
    })
  })

  test('that cannot be read is a failure, not an absence', async () => {
    await using fixture = await openLocal()
    const { host, scratch } = fixture
    const loop = join(scratch, 'git', 'loop')
    await symlink(loop, loop)
    const outcomes = [
      await host.head(repositoryId('loop', 'gitops')),
      await host.repositories(),
      await host.createRepository(repositoryId('loop', 'gitops'), {
        description: '',
        team: TEAM,
        marker: 'm',
        files: [],
        message: 'm',
        author: AUTHOR,
      }),
    ]
    expect(outcomes.map((outcome) => outcome.ok || outcome.error.kind)).toStrictEqual([
      'git_host_error',
      'git_host_error',
      'git_host_error',
    ])
  })

  test('with a broken configuration in it is a failure of the host, by every way in', async () => {
    await using fixture = await openLocal()
    const { host, repository, bare } = fixture
    const { commit } = value(await host.head(repository))
    await writeFile(join(bare, 'config'), '[core\nbroken')
    const files = host.readFiles(repository, commit, [{ path: path('README.md') }], BYTES_MAX)
    const [read] = await Array.fromAsync(files)
    const change = { changes: [write('x', 'x')], message: 'm', author: AUTHOR }
    const from = { kind: 'advance', expected: commit } as const
    const results = [
      await host.head(repository),
      await host.listFiles(repository, { commit }),
      read,
      await host.commit(repository, { branch: MAIN, from, ...change }),
      await host.findPullRequests(repository, {}),
    ]
    expect(results.map((one) => (one?.ok === false ? one.error.kind : 'fine'))).toStrictEqual(
      results.map(() => 'git_host_error'),
    )
  })

  test('with damaged objects names the file instead of giving other bytes', async () => {
    await using fixture = await openLocal()
    const { host, repository, bare } = fixture
    const { commit } = value(await host.head(repository))
    // A well-formed object under the name of another: git does not check the digest when it reads.
    const readme = 'ce013625030ba8dba906f756967f9e9ca394464a'
    const file = join(bare, 'objects', readme.slice(0, 2), readme.slice(2))
    await chmod(file, 0o600)
    await writeFile(file, deflateSync('blob 6\0HELLO\n'))
    const read = await Array.fromAsync(
      host.readFiles(repository, commit, [{ path: path('README.md') }], BYTES_MAX),
    )
    expect(read).toStrictEqual([
      { ok: false, error: { kind: 'git_file_unreadable', path: path('README.md') } },
    ])
  })

  test('with a file too large to read does not even unpack it', async () => {
    await using fixture = await openLocal()
    const { host, repository, scratch, bare } = fixture
    const { commit } = value(await host.head(repository))
    const inBare = (args: readonly string[], stdin = '') =>
      git(scratch, [`--git-dir=${bare}`, ...args], stdin)
    const id = (await inBare(['hash-object', '-w', '--stdin'], 'x'.repeat(100_000))).trim()
    const object = join(bare, 'objects', id.slice(0, 2), id.slice(2))
    const bytes = await Bun.file(object).bytes()
    await chmod(object, 0o644)
    await writeFile(object, bytes.subarray(0, bytes.length - 20))
    const files = [{ path: path('large'), blob: oid(id) }, { path: path('README.md') }]
    const read = await Array.fromAsync(host.readFiles(repository, commit, files, 50_000))
    const sizes = read.map((one) => one.ok && `${one.value.path} ${one.value.bytes?.length}`)
    expect(sizes).toStrictEqual(['large undefined', 'README.md 6'])
  })

  test('with paths that are no UTF-8 is listed, the paths as skipped', async () => {
    await using fixture = await openLocal()
    const { host, repository, scratch, bare } = fixture
    const blob = 'ce013625030ba8dba906f756967f9e9ca394464a'
    const input = Buffer.from(`100644 blob ${blob}\t\u00ff\0`, 'latin1')
    const tree = (await git(scratch, [`--git-dir=${bare}`, 'mktree', '-z'], input)).trim()
    const commit = await git(scratch, [`--git-dir=${bare}`, 'commit-tree', '-m', 'm', tree])
    const { skipped } = value(await host.listFiles(repository, { commit: oid(commit.trim()) }))
    expect(skipped).toStrictEqual([{ rawPath: '\u{fffd}', reason: 'unsafe_path' }])
  })

  test('reads ten thousand files', async () => {
    await using fixture = await openLocal()
    const { host } = fixture
    const repository = repositoryId('acme', 'large')
    const files = Array.from({ length: 10_000 }, (_, index) =>
      write(`catalog/${index % 100}/${index}.yaml`, `${index}\n${'x'.repeat(840)}`),
    )
    const request = {
      description: '',
      team: TEAM,
      marker: 'm',
      files,
      message: 'm',
      author: AUTHOR,
    }
    const { head } = value(await host.createRepository(repository, request))
    const listing = value(await host.listFiles(repository, head))
    expect(listing.files.length).toBe(10_000)
    const read = await collect(host.readFiles(repository, head.commit, listing.files, BYTES_MAX))
    expect(read.size).toBe(10_000)
    expect(read.get('catalog/99/9999.yaml')).toBe(`9999\n${'x'.repeat(840)}`)
  })
})

describe('local: other processes', () => {
  const WRITER = join(import.meta.dir, 'forge-writer.ts')
  const start = ({ scratch }: LocalFixture, name: string, rounds: number, env = {}) =>
    Bun.spawn([process.execPath, WRITER, join(scratch, 'git'), name, `${rounds}`], {
      stdout: 'pipe',
      stderr: 'pipe',
      env: { PATH: Bun.env['PATH'] ?? '', ...env },
    })

  async function expectSound({ host, repository, scratch, bare }: LocalFixture) {
    const refs = await git(scratch, [`--git-dir=${bare}`, 'for-each-ref', '--format=%(refname)'])
    const numbersOf = (pattern: RegExp) =>
      [...refs.matchAll(pattern)].map(([, number]) => Number(number)).toSorted((a, b) => a - b)
    const pulls = value(await host.findPullRequests(repository, { limit: 10_000 }))
    const dense = pulls.map((_, index) => index + 1)
    expect(pulls.map(({ number }) => number).toReversed()).toStrictEqual(dense)
    expect(numbersOf(/^refs\/pull\/(\d+)\/head$/gm)).toStrictEqual(dense)
    expect(numbersOf(/^refs\/portico\/pulls\/(\d+)$/gm)).toStrictEqual(dense)
    expect(new Set(pulls.map(({ head }) => head.branch)).size).toBe(pulls.length)
    await git(scratch, [`--git-dir=${bare}`, 'fsck', '--strict', '--no-dangling'])
    return pulls
  }

  test('share the repositories: no number is given twice', async () => {
    await using fixture = await openLocal()
    const writers = ['a', 'b', 'c'].map((name) => start(fixture, name, 6))
    const ends = await Promise.all(
      writers.map(async (child) => [await new Response(child.stderr).text(), await child.exited]),
    )
    expect(ends).toStrictEqual(writers.map(() => ['', 0]))
    expect((await expectSound(fixture)).length).toBe(18)
  })

  test('race for a branch and for a merge: one wins, without any queue between them', async () => {
    await using fixture = await openLocal()
    const { repository, scratch, bare } = fixture
    const hosts = Array.from({ length: 8 }, () =>
      createLocalGitHost({ directory: join(scratch, 'git'), publicUrl: PUBLIC_URL }),
    )
    const { number } = await proposal(fixture, 'topic')
    const { commit: expected } = value(await fixture.host.head(repository))
    const from = { kind: 'advance', expected } as const
    const commits = await Promise.all(
      hosts.map((host, index) => {
        const change = { changes: [write(`race-${index}`, 'x')], message: 'm', author: AUTHOR }
        return host.commit(repository, { branch: MAIN, from, ...change })
      }),
    )
    expect(commits.filter(({ ok }) => ok)).toStrictEqual([await fixture.host.head(repository)])
    const merges = await Promise.all(
      hosts.map((host) => host.mergePullRequest(repository, number, { by: GRACE })),
    )
    expect(merges.filter(({ ok }) => ok).length).toBe(1)
    const range = `${expected}..main`
    const log = await git(scratch, [`--git-dir=${bare}`, 'rev-list', '--first-parent', range])
    expect(log.trimEnd().split('\n').length).toBe(2)
  })

  test('may be killed at any time', async () => {
    await using fixture = await openLocal()
    for (let round = 0; round < 6; round += 1) {
      const child = start(fixture, `round${round}`, 1_000)
      const reader = child.stdout.getReader()
      await reader.read()
      await Bun.sleep(round * 17)
      child.kill('SIGKILL')
      await child.exited
    }
    // A git process of the last writer may still be running.
    await until(async () => (await processesIn(fixture.bare)).length === 0)
    const pulls = await expectSound(fixture)
    expect(pulls.length).toBeGreaterThanOrEqual(6)
    expect((await proposal(fixture, 'afterwards')).number).toBe(pulls.length + 1)
  })

  test('may have any GIT_ variables: git sees none of them', async () => {
    await using fixture = await openLocal()
    const { scratch } = fixture
    const child = start(fixture, 'hostile', 2, {
      GIT_DIR: '/nonexistent',
      GIT_OBJECT_DIRECTORY: '/nonexistent',
      GIT_INDEX_FILE: '/nonexistent',
      GIT_EXEC_PATH: '/nonexistent',
      GIT_NAMESPACE: 'elsewhere',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.bare',
      GIT_CONFIG_VALUE_0: 'broken',
      GIT_TRACE: join(scratch, 'trace'),
      GIT_AUTHOR_DATE: 'never',
      HOME: '/nonexistent',
    })
    expect([await new Response(child.stderr).text(), await child.exited]).toStrictEqual(['', 0])
    expect((await expectSound(fixture)).map(({ state }) => state)).toStrictEqual(['merged', 'open'])
    expect(await stat(join(scratch, 'trace')).catch(() => 'none')).toBe('none')
  })
})

/** Git estimates the number of loose objects from this folder alone: five of them stand for 1,280. */
const SAMPLED = '17'

async function writeUntilTooLoose({ scratch, bare }: LocalFixture): Promise<void> {
  const idOf = (text: string) =>
    new Bun.CryptoHasher('sha1').update(`blob ${text.length}\0${text}`).digest('hex')
  const numbers = Array.from({ length: 5_000 }, (_, index) => String(index))
  for (const text of numbers.filter((one) => idOf(one).startsWith(SAMPLED)).slice(0, 5)) {
    await git(scratch, [`--git-dir=${bare}`, 'hash-object', '-w', '--stdin'], text)
  }
}

test('local: packing keeps everything, and goes on working', async () => {
  await using fixture = await openLocal()
  const { host, repository, bare } = fixture
  const opened = await proposal(fixture, 'topic')
  await writeUntilTooLoose(fixture)
  packNowAndThen(bare, 1)
  while (!(await Bun.file(join(bare, 'packed-refs')).exists())) await Bun.sleep(20)
  while (await Bun.file(join(bare, 'gc.pid')).exists()) await Bun.sleep(20)
  expect(await show(fixture, opened.number)).toStrictEqual(opened)
  await fixture.mergePullRequest(opened.number)
  expect((await proposal(fixture, 'next')).number).toBe(opened.number + 1)
  const { commit } = value(await host.head(repository))
  const files = [{ path: path('topic.txt') }]
  expect(await collect(host.readFiles(repository, commit, files, BYTES_MAX))).toStrictEqual(
    new Map([['topic.txt', 'topic\n']]),
  )
})

test('local: a version of git before 2.38 is too old', () => {
  const judge = (version: string) => judgeVersion(`git version ${version}\n`)
  const tooOld = (version: string) => err(`Portico needs git 2.38 or later, and found ${version}`)
  expect(['2.37.9', '1.9.1'].map(judge)).toStrictEqual([tooOld('2.37.9'), tooOld('1.9.1')])
  expect(['2.38.0', '2.39.5 (Apple Git-154)', '3.0.0-rc1'].map(judge)).toStrictEqual(
    ['2.38.0', '2.39.5', '3.0.0-rc1'].map(ok),
  )
  expect(judgeVersion('no git at all')).toStrictEqual(tooOld('no git at all'))
})

test('local: an unusable directory is a failure, not an exception', async () => {
  await using fixture = await openLocal()
  const host = createLocalGitHost({
    directory: join(fixture.bare, 'HEAD/below'),
    publicUrl: PUBLIC_URL,
  })
  const request = {
    description: '',
    team: TEAM,
    marker: 'm',
    files: [],
    message: 'm',
    author: AUTHOR,
  }
  const made = await host.createRepository(fixture.repository, request)
  expect(made.ok ? 'made' : made.error.kind).toBe('git_host_error')
})

test('local: config check --connect tries the folder of the repositories, and leaves it as it is', async () => {
  await using fixture = await openLocal()
  const { host, repository, scratch } = fixture
  const uses = { gitops: repository, owners: [], templates: repository, cli: null }
  const folder = join(scratch, 'git')
  expect(await host.check(uses)).toStrictEqual([
    { ok: true, text: `The git repositories can be written to ${folder}.` },
  ])
  expect(await readdir(folder)).toStrictEqual(['acme'])
})

test('two repositories have no name that differs in upper and lower case alone', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  const request = {
    description: '',
    team: TEAM,
    marker: 'another',
    files: [write('README.md', 'x')],
    message: 'x',
    author: AUTHOR,
  }
  const other = repositoryId(repository.owner, repository.name.toUpperCase())
  expect(await host.createRepository(other, request)).toMatchObject({
    error: { kind: 'git_repository_exists' },
  })
})
