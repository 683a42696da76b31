import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { FileContent, GitFailure } from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  MAIN,
  oid,
  path,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import type { CallName } from '#tests/peers/gitea/gitea.ts'
import { FORGEJO_11 } from '#tests/peers/gitea/flavour.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

const HTML: Fault = { kind: 'answer', status: 502, body: '<html>bad gateway</html>' }
const limited = (seconds: number): Fault => ({
  kind: 'answer',
  status: 429,
  body: { message: 'slow down' },
  headers: { 'retry-after': String(seconds) },
})
const count = ({ gitea }: FakeFixture, name: CallName) =>
  [...gitea.arrivals, ...gitea.gitArrivals].filter((arrival) => arrival.name === name).length
const change = (file: string) => ({
  branch: branch('topic'),
  changes: [write(file, 'x')],
  message: 'Change',
  author: AUTHOR,
})

/** More files than are read one by one. */
async function openWithMany(...options: Parameters<typeof openFake>) {
  const fixture = await openFake(...options)
  const { host, repository } = fixture
  const head = value(await host.head(repository))
  const files = Array.from({ length: 300 }, (_, index) => write(`many/${index}`, `file ${index}\n`))
  const from = { kind: 'advance', expected: head.commit } as const
  const made = { ...change('x'), branch: MAIN, from, changes: files }
  const { commit } = value(await host.commit(repository, made))
  const listing = value(await host.listFiles(repository, { commit, directory: path('many') }))
  fixture.gitea.arrivals.splice(0)
  const read = () => host.readFiles(repository, commit, listing.files, BYTES_MAX)
  return { fixture, read, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() }
}

/** Reads all, each as it was written. */
async function readWhole(reads: AsyncIterable<Result<FileContent, GitFailure>>) {
  let whole = 0
  for await (const read of reads) {
    const file = value(read)
    expect(Buffer.from(file.bytes ?? []).toString()).toBe(`file ${file.path.slice(5)}\n`)
    whole += 1
  }
  return whole
}

describe('G3: a rate limit', () => {
  test('is told with its end, and no call is made while it lasts', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    gitea.fail({ on: 'repoListGitRefs', fault: limited(3 * 3600) })
    const refused = await host.head(repository)
    expect(refused).toMatchObject({ ok: false, error: { kind: 'git_rate_limited' } })
    gitea.arrivals.splice(0)
    const again = await host.head(repository)
    expect(again).toMatchObject({ ok: false, error: { kind: 'git_rate_limited' } })
    const seconds = !again.ok && 'retryAfterSeconds' in again.error && again.error.retryAfterSeconds
    expect(Number(seconds)).toBeGreaterThan(2 * 3600)
    expect((await host.releases.list(repository)).ok).toBe(false)
    expect(gitea.arrivals).toStrictEqual([])
  })

  test('of a push leaves the branch alone', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const head = value(await host.head(repository))
    gitea.fail({ on: 'git-receive-pack', fault: limited(60) })
    const from = { kind: 'create', parent: head.commit } as const
    expect(await host.commit(repository, { ...change('x'), from })).toMatchObject({
      error: { kind: 'git_rate_limited' },
    })
    expect(count(fixture, 'git-receive-pack')).toBe(2)
  })
})

describe('G4: an answer of somebody else', () => {
  test('is asked for twice more when nothing is written, and is then a failure', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    gitea.fail({ on: 'repoListGitRefs', times: 2, fault: HTML })
    expect((await host.head(repository)).ok).toBe(true)
    expect(count(fixture, 'repoListGitRefs')).toBeGreaterThanOrEqual(3)
    gitea.fail({ on: 'repoListGitRefs', times: 3, fault: HTML })
    gitea.arrivals.splice(0)
    expect(await host.head(repository)).toMatchObject({ error: { kind: 'git_host_unreachable' } })
    expect(count(fixture, 'repoListGitRefs')).toBe(3)
  })

  test('to a push is not asked for again', async () => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const head = value(await host.head(repository))
    gitea.fail({ on: 'git-receive-pack', times: 5, fault: HTML })
    gitea.gitArrivals.splice(0)
    const from = { kind: 'create', parent: head.commit } as const
    expect((await host.commit(repository, { ...change('x'), from })).ok).toBe(false)
    expect(count(fixture, 'git-receive-pack')).toBe(1)
    gitea.mend()
    expect(await host.head(repository, branch('topic'))).toMatchObject({
      error: { kind: 'git_not_found', what: 'branch' },
    })
  })

  test.each<readonly [string, Fault]>([
    ['half a JSON', { kind: 'cut', bytes: 1 }],
    ['a JSON that is announced longer', { kind: 'length', by: 10 }],
    ['a page in place of JSON', { kind: 'answer', status: 200, body: '<html>sign in</html>' }],
    ['a reset', { kind: 'reset' }],
  ])('%s is never an empty catalog', async (_, fault) => {
    await using fixture = await openFake()
    const { host, repository, gitea } = fixture
    const { commit } = value(await host.head(repository))
    gitea.fail({ on: 'any', times: 100, fault })
    expect((await host.head(repository)).ok).toBe(false)
    expect((await host.listFiles(repository, { commit })).ok).toBe(false)
    expect((await host.listBranches(repository, 'main')).ok).toBe(false)
    expect((await host.findPullRequests(repository, {})).ok).toBe(false)
    expect((await host.releases.list(repository)).ok).toBe(false)
    gitea.mend()
    expect((await host.listFiles(repository, { commit })).ok).toBe(true)
  })
})

describe('G6: an archive that is not as it should be', () => {
  test.each<readonly [string, Fault]>([
    ['an archive that is cut off', { kind: 'cut', bytes: 500 }],
    ['an archive of another length', { kind: 'length', by: -100 }],
    ['an archive that is refused', { kind: 'answer', status: 404, body: { message: 'no' } }],
    ['an archive that is a page', { kind: 'answer', status: 200, body: '<html></html>' }],
    ['an archive that is reset', { kind: 'reset' }],
  ])('%s is followed by the blobs', async (_, fault) => {
    await using many = await openWithMany()
    many.fixture.gitea.fail({ on: 'repoGetArchive', times: 9, fault })
    expect(await readWhole(many.read())).toBe(300)
    expect(count(many.fixture, 'GetBlob') + count(many.fixture, 'repoGetRawFile')).toBeGreaterThan(
      0,
    )
  })

  test('an archive takes the place of 300 blobs, with or without a filter', async () => {
    for (const flavour of [undefined, FORGEJO_11]) {
      await using many = await openWithMany(flavour)
      expect(await readWhole(many.read())).toBe(300)
      expect(many.fixture.gitea.arrivals.map(({ name }) => name)).toContain('repoGetArchive')
      expect(many.fixture.gitea.arrivals.length).toBeLessThan(5)
    }
  })

  test('what an archive leaves out or changes is read from its blob', async () => {
    await using fixture = await openFake()
    const { host, repository } = fixture
    const head = value(await host.head(repository))
    const attributes = 'many/7 export-ignore\nmany/8 text eol=crlf\nmany/9 export-subst\n'
    const files = Array.from({ length: 300 }, (_, index) =>
      write(`many/${index}`, `file ${index}\n`),
    )
    const made = await host.commit(repository, {
      ...change('x'),
      branch: MAIN,
      from: { kind: 'advance', expected: head.commit },
      changes: [...files, write('.gitattributes', attributes)],
    })
    const { commit } = value(made)
    const listing = value(await host.listFiles(repository, { commit, directory: path('many') }))
    const read = host.readFiles(repository, commit, listing.files, BYTES_MAX)
    expect(await readWhole(read)).toBe(300)
  })
})

test('G7: an archive that unpacks to 300 MB ends, and the blobs are read', async () => {
  await using many = await openWithMany()
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 })
  many.fixture.gitea.fail({ on: 'repoGetArchive', fault: { kind: 'alter', alter: () => bomb } })
  expect(await readWhole(many.read())).toBe(300)
})

test('G11: what is no regular file is skipped, and twins that differ in case are two', async () => {
  await using fixture = await openFake()
  const { host, repository } = fixture
  await fixture.plant(branch('strange'), [
    { path: 'a/Twin', mode: '100644', content: '1' },
    { path: 'a/twin', mode: '100644', content: '2' },
    { path: 'a/link', mode: '120000', content: 'twin' },
    { path: 'a/module', mode: '160000', content: oid('1'.repeat(40)) },
    { path: 'a/large', mode: '100644', content: 'version https://git-lfs.github.com/spec/v1\n' },
  ])
  const { commit } = value(await host.head(repository, branch('strange')))
  const listing = value(await host.listFiles(repository, { commit, directory: path('a') }))
  expect(listing.files.map((file) => String(file.path))).toStrictEqual([
    'a/Twin',
    'a/large',
    'a/twin',
  ])
  expect(listing.skipped.map(({ reason }) => reason).toSorted()).toStrictEqual([
    'submodule',
    'symbolic_link',
  ])
})

describe('G18', () => {
  test('a forced push shows another catalog', async () => {
    await using fixture = await openFake()
    const { host, repository } = fixture
    const before = value(await host.head(repository))
    const from = { kind: 'advance', expected: before.commit } as const
    value(await host.commit(repository, { ...change('later'), branch: MAIN, from }))
    await fixture.resetBranch(MAIN, before.commit)
    expect(await host.head(repository)).toStrictEqual({ ok: true, value: before })
  })

  test('a renamed default branch is found', async () => {
    await using fixture = await openFake()
    const { host, repository, server } = fixture
    const { commit } = value(await host.head(repository))
    const there = `/repos/${repository.owner}/${repository.name}`
    const trunk = { new_branch_name: 'trunk', old_ref_name: 'main' }
    await ask(server, 'POST', `${there}/branches`, trunk)
    await ask(server, 'PATCH', there, { default_branch: 'trunk' })
    await ask(server, 'DELETE', `${there}/branches/main`)
    expect(await host.head(repository)).toStrictEqual({
      ok: true,
      value: { branch: branch('trunk'), commit },
    })
  })

  test('a repository that is gone is not found, and not empty', async () => {
    await using fixture = await openFake()
    const { host, repository, server } = fixture
    const { commit } = value(await host.head(repository))
    await ask(server, 'DELETE', `/repos/${repository.owner}/${repository.name}`)
    const gone = { ok: false, error: { kind: 'git_not_found', what: 'repository' } } as const
    expect(await host.head(repository)).toStrictEqual(gone)
    expect(await host.listBranches(repository, 'main')).toStrictEqual(gone)
    expect(await host.findPullRequests(repository, {})).toStrictEqual(gone)
    expect((await host.listFiles(repository, { commit })).ok).toBe(false)
  })
})
