import { describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { GitFailure } from '#src/lib/ports/git-host.ts'
import type { Result } from '#src/lib/result.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  bytes,
  collect,
  MAIN,
  path,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import type { Fault } from '#tests/peers/forge/faults.ts'
import { renameRepository } from '#tests/peers/github/calls/repositories.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { EVERY_RIGHT } from '#tests/peers/github/state.ts'
import { openGitHub, TOKEN, type GitHubFixture } from './open-github.ts'

const NOW = Date.UTC(2026, 10, 20)
const html: Fault = { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }

const change = async ({ host, repository }: GitHubFixture) => {
  const { commit } = value(await host.head(repository, MAIN))
  return await host.commit(repository, {
    branch: branch('topic'),
    from: { kind: 'create', parent: commit },
    changes: [write('x', 'x')],
    message: 'Change',
    author: AUTHOR,
  })
}

const errorOf = (result: Result<unknown, GitFailure>) => (result.ok ? null : result.error)
const asked = ({ github }: GitHubFixture) => github.arrivals.length

/** Three hundred files, which are read by an archive. */
async function withManyFiles(fixture: GitHubFixture) {
  const names = Array.from({ length: 300 }, (_, index) => `many/${String(index).padStart(3, '0')}`)
  const files = names.map((name) => ({ path: name, bytes: bytes(`of ${name}\n`) }))
  await commitFiles(fixture.seeded, 'main', files)
  const { host, repository } = fixture
  const { commit } = value(await host.head(repository, MAIN))
  const listing = value(await host.listFiles(repository, { commit, directory: path('many') }))
  const read = async () =>
    await collect(host.readFiles(repository, commit, listing.files, BYTES_MAX))
  return { read, whole: new Map(names.map((name) => [name, `of ${name}\n`])) }
}

describe('G3: a rate limit', () => {
  test.each([
    ['primary', 403, undefined],
    ['primary', 429, undefined],
    ['secondary', 403, true],
    ['secondary', 429, true],
    ['secondary', 403, false],
  ] as const)(
    'of the %s kind by %d is waited out without a call',
    async (kind, status, retryAfter) => {
      const clock = { now: NOW }
      await using fixture = await openGitHub({ peer: { now: () => clock.now } })
      const { github, host, repository } = fixture
      const until = NOW + 3 * 3_600_000
      github.setLimit({ kind, until, status, ...(retryAfter !== undefined && { retryAfter }) })
      const first = errorOf(await host.head(repository, MAIN))
      expect(first?.kind).toBe('git_rate_limited')
      if (retryAfter !== false)
        expect(first).toStrictEqual({ kind: 'git_rate_limited', retryAfterSeconds: 10_800 })
      const before = asked(fixture)
      expect(errorOf(await change(fixture).catch(() => host.head(repository)))?.kind).toBe(
        'git_rate_limited',
      )
      expect(asked(fixture)).toBe(before)
      clock.now = until
      expect((await host.head(repository, MAIN)).ok).toBe(true)
    },
  )
})

describe('G4: an answer of something else', () => {
  test.each<readonly [string, Fault]>([
    ['502 in HTML', html],
    ['a reset connection', { kind: 'reset' }],
    ['half a JSON', { kind: 'cut', bytes: 20 }],
    ['a wrong length', { kind: 'length', by: 100 }],
  ])('is asked again after %s, twice', async (_, fault) => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    github.fail({ on: 'git/get-ref', times: 2, fault })
    expect((await host.head(repository, MAIN)).ok).toBe(true)
    github.fail({ on: 'git/get-ref', times: 10, fault })
    const before = asked(fixture)
    const failed = errorOf(await host.head(repository, MAIN))
    expect(['git_host_error', 'git_host_unreachable']).toContain(failed?.kind ?? '')
    // Bun sends a GET once more itself when a connection that it kept is reset.
    const once = fault.kind === 'answer' ? 0 : 1
    expect(asked(fixture) - before).toBeWithin(3, 3 + once + 1)
  })

  test('is never believed: JSON of another shape', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    const { commit } = value(await host.head(repository, MAIN))
    const alter = (on: Parameters<typeof github.fail>[0]['on'], body: unknown) =>
      github.fail({ on, fault: { kind: 'alter', alter: () => body } })
    alter('git/get-ref', {})
    expect(errorOf(await host.head(repository, MAIN))?.kind).toBe('git_host_error')
    alter('git/get-ref', { ref: 'refs/heads/main-2', object: { sha: commit, type: 'commit' } })
    expect((await host.head(repository, MAIN)).ok).toBe(false)
    alter('git/get-tree', {})
    expect(errorOf(await host.listFiles(repository, { commit }))?.kind).toBe('git_host_error')
  })

  test('to the creation of a branch is not asked again', async () => {
    await using fixture = await openGitHub()
    const { github } = fixture
    github.fail({ on: 'git/create-ref', times: 10, fault: html })
    expect(errorOf(await change(fixture))?.kind).toBe('git_host_unreachable')
    expect(github.arrivals.filter(({ name }) => name === 'git/create-ref').length).toBe(1)
  })
})

describe('G5: an answer that does not end', () => {
  test.each<readonly [string, Fault]>([
    ['before it begins', { kind: 'wait', until: new Promise(() => {}) }],
    ['in its body', { kind: 'stall', bytes: 10 }],
  ])('ends at the deadline, %s', async (_, fault) => {
    await using fixture = await openGitHub({ deadlineMs: 100 })
    const { github, host, repository } = fixture
    github.fail({ on: 'git/get-ref', times: 10, fault })
    expect(errorOf(await host.head(repository, MAIN))).toStrictEqual({ kind: 'git_host_timeout' })
  })
})

describe('G6: an archive', () => {
  test.each<readonly [string, Fault | null]>([
    ['that is whole', null],
    ['that breaks off', { kind: 'cut', bytes: 2_000 }],
    ['with a wrong length', { kind: 'length', by: -500 }],
    ['that is refused', { kind: 'answer', status: 403, body: 'no' }],
    ['that is no archive', { kind: 'answer', status: 200, body: '<html>Sign in</html>' }],
  ])('%s leads to the same files', async (_, fault) => {
    await using fixture = await openGitHub()
    const { github } = fixture
    const { read, whole } = await withManyFiles(fixture)
    if (fault !== null) github.fail({ on: 'storage/archive', times: 10, fault })
    expect(await read()).toStrictEqual(whole)
    expect(github.arrivals.some(({ name }) => name === 'storage/archive')).toBe(true)
    const blobs = github.arrivals.filter(({ name }) => name === 'git/get-blob').length
    expect(blobs > 0).toBe(fault !== null)
  })

  test('of other contents than the commit has is not believed', async () => {
    await using fixture = await openGitHub()
    const { read, whole } = await withManyFiles(fixture)
    const attributes = 'many/00* export-ignore\nmany/1* text eol=crlf\n'
    await commitFiles(fixture.seeded, 'main', [
      { path: '.gitattributes', bytes: bytes(attributes) },
    ])
    const { host, repository } = fixture
    const { commit } = value(await host.head(repository, MAIN))
    const { files } = value(await host.listFiles(repository, { commit, directory: path('many') }))
    expect(
      await collect(fixture.another().readFiles(repository, commit, files, BYTES_MAX)),
    ).toStrictEqual(whole)
    expect((await read()).size).toBe(300)
  })

  test('of another commit is not believed', async () => {
    await using fixture = await openGitHub()
    const { github, seeded } = fixture
    const { read, whole } = await withManyFiles(fixture)
    const others = [...whole].map(([path, text]) => ({ path, bytes: bytes(text.toUpperCase()) }))
    const commit = await commitFiles(seeded, 'other', others)
    const archive = await seeded.git.git(['archive', '--format=tar.gz', '--prefix=top/', commit])
    const other = { kind: 'answer', status: 200, body: archive } as const
    github.fail({ on: 'storage/archive', times: 10, fault: other })
    expect(await read()).toStrictEqual(whole)
  })

  test('a blob that breaks off or is another is a failure', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    const { commit } = value(await host.head(repository, MAIN))
    const readme = [{ path: path('README.md') }]
    const wrong = { kind: 'answer', status: 200, body: bytes('hellx\n') } as const
    for (const fault of [wrong, { kind: 'cut', bytes: 2 }] as const) {
      github.mend()
      github.fail({ on: 'git/get-blob', times: 10, fault })
      const read = await Array.fromAsync(host.readFiles(repository, commit, readme, BYTES_MAX))
      expect(read.map(({ ok }) => ok)).toStrictEqual([false])
    }
  })
})

test('G7: an archive that unpacks to hundreds of megabytes costs no memory', async () => {
  await using fixture = await openGitHub()
  const { github } = fixture
  const { read, whole } = await withManyFiles(fixture)
  const body = await archiveOfZeros('acme-gitops-0000000/many/000', 300)
  expect(body.length).toBeLessThan(4 * 1024 * 1024)
  const headers = { 'content-type': 'application/x-gzip' }
  github.fail({
    on: 'storage/archive',
    times: 10,
    fault: { kind: 'answer', status: 200, body, headers },
  })
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  expect(await read()).toStrictEqual(whole)
  // Holding it would take twice its size; the rest is the host itself and garbage, in this process.
  expect(process.memoryUsage.rss() - before).toBeLessThan(450 * 1024 * 1024)
})

/** A `.tar.gz` of one file, made without holding it. */
async function archiveOfZeros(name: string, megabytes: number): Promise<Buffer> {
  const header = Buffer.alloc(512)
  header.write(name)
  header.write('0000644\0', 100)
  header.write(`${(megabytes * 1024 * 1024).toString(8).padStart(11, '0')}\0`, 124)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const gzip = createGzip({ level: 1 })
  const parts: Buffer[] = []
  gzip.on('data', (part: Buffer) => parts.push(part))
  const zeros = Buffer.alloc(1024 * 1024)
  gzip.write(header)
  for (let megabyte = 0; megabyte < megabytes; megabyte += 1) {
    await new Promise<void>((resolve) => gzip.write(zeros, () => resolve()))
  }
  gzip.end(Buffer.alloc(1024))
  await once(gzip, 'end')
  return Buffer.concat(parts)
}

test('G11: symbolic links, submodules and names that lead elsewhere are skipped', async () => {
  await using fixture = await openGitHub()
  const { host, repository, seeded } = fixture
  const blob = await seeded.git.write('blob', bytes('x'))
  const entry = (mode: string, name: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')])
  const tree = await seeded.git.write(
    'tree',
    Buffer.concat(['..', 'Case', 'case'].map((name) => entry('100644', name))),
  )
  const text = `tree ${tree}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nStrange\n`
  const commit = await seeded.git.write('commit', bytes(text))
  await seeded.git.updateReference('refs/heads/strange', commit)
  const head = value(await host.head(repository, branch('strange')))
  const listing = value(await host.listFiles(repository, head))
  expect(listing.files.map((file) => String(file.path))).toStrictEqual(['Case', 'case'])
  expect(listing.skipped).toStrictEqual([{ rawPath: '..', reason: 'unsafe_path' }])
})

describe('G18: a repository that is not as it was', () => {
  test('a default branch with another name is found', async () => {
    const clock = { now: NOW }
    await using fixture = await openGitHub({ peer: { now: () => clock.now } })
    const { host, repository, seeded } = fixture
    const { commit } = value(await host.head(repository))
    await seeded.git.updateReference('refs/heads/trunk', commit)
    await seeded.git.updateReference('refs/heads/main', null)
    await seeded.git.setDefaultBranch('trunk')
    seeded.defaultBranch = 'trunk'
    expect(value(await host.head(repository))).toStrictEqual({ branch: branch('trunk'), commit })
  })

  test('one that is gone is git_not_found', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    value(await host.head(repository))
    github.state.repositories.delete('acme/gitops')
    const missing = { kind: 'git_not_found', what: 'repository' } as const
    expect(errorOf(await host.head(repository))).toStrictEqual(missing)
  })

  test('a renamed one is read under its former name, and not written', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository, seeded } = fixture
    const before = value(await host.head(repository))
    renameRepository(github.state, seeded, 'gitops2')
    expect(value(await host.head(repository))).toStrictEqual(before)
    const listing = value(await host.listFiles(repository, before))
    expect(listing.files.length).toBe(4)
    expect(errorOf(await change(fixture))).toStrictEqual({
      kind: 'git_denied',
      what: expect.stringContaining('renamed'),
    } as never)
  })

  test('an archived one is read, and not written', async () => {
    await using fixture = await openGitHub()
    const { host, repository, seeded } = fixture
    seeded.archived = true
    expect((await host.head(repository)).ok).toBe(true)
    expect(errorOf(await change(fixture))).toStrictEqual({
      kind: 'git_denied',
      what: 'acme/gitops is archived',
    })
  })
})

describe('refused credentials', () => {
  test('revoked in the middle are git_denied, and say nothing of the token', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository } = fixture
    value(await host.head(repository))
    github.state.credentials.clear()
    const failed = errorOf(await host.head(repository))
    expect(failed).toStrictEqual({ kind: 'git_denied', what: 'the credentials were refused' })
    expect(errorOf(await change(fixture).catch(() => host.head(repository)))?.kind).toBe(
      'git_denied',
    )
  })

  test('what they may not see is git_not_found', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository, seeded } = fixture
    github.addCredential(TOKEN, { account: seeded.owner, repositories: ['acme/other'] })
    const missing = { kind: 'git_not_found', what: 'repository' } as const
    expect(errorOf(await host.head(repository))).toStrictEqual(missing)
  })

  test.each([
    ['a right', { rights: { ...EVERY_RIGHT, contents: 'read' } }, 'contents: write on acme/gitops'],
    ['single sign-on', { blockedBy: 'sso' }, 'single sign-on'],
    ['the allow list', { blockedBy: 'ip_allow_list' }, 'allow list'],
  ] as const)('403 for want of %s is told by its name', async (_, credential, what) => {
    await using fixture = await openGitHub()
    const { github, seeded, host, repository } = fixture
    const { commit } = value(await host.head(repository))
    github.addCredential(TOKEN, { account: seeded.owner, ...credential })
    const made = await host.commit(repository, {
      branch: branch('topic'),
      from: { kind: 'create', parent: commit },
      changes: [write('x', 'x')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(errorOf(made)).toStrictEqual({
      kind: 'git_denied',
      what: expect.stringContaining(what),
    } as never)
  })

  test.each([
    ['branch protection', ['Changes must be made through a pull request.']],
    ['branch protection', ['Required status check "ci" is expected.']],
    ['rules', ['Changes must be made through a pull request.']],
    ['rules', ['2 of 2 required status checks are expected.']],
  ] as const)('a branch that %s protects is git_denied', async (by, reasons) => {
    await using fixture = await openGitHub()
    const { host, repository, seeded } = fixture
    const head = value(await host.head(repository))
    seeded.protections.set('main', { by, reasons })
    const made = await host.commit(repository, {
      branch: MAIN,
      from: { kind: 'advance', expected: head.commit },
      changes: [write('x', 'x')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(errorOf(made)).toStrictEqual({
      kind: 'git_denied',
      what: expect.stringContaining('main'),
    } as never)
    expect(value(await host.head(repository))).toStrictEqual(head)
  })
})
