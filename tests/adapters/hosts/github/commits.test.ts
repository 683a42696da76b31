import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FileChange, GitHost } from '#src/lib/ports/git-host.ts'
import { openLocal } from '#tests/adapters/hosts/open-local.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  MAIN,
  path,
  remove,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

const commitTo = async (
  { host, repository }: Pick<GitHubFixture, 'host' | 'repository'>,
  ...changes: readonly FileChange[]
) => {
  const { commit } = value(await host.head(repository))
  return host.commit(repository, {
    branch: MAIN,
    from: { kind: 'advance', expected: commit },
    changes,
    message: 'Change\n\nRun: 1\n',
    author: AUTHOR,
  })
}

const filesOf = async (
  host: GitHost,
  { repository }: Pick<GitHubFixture, 'repository'>,
): Promise<readonly string[]> => {
  const head = value(await host.head(repository))
  const { tree, files } = value(await host.listFiles(repository, head))
  return [
    String(tree),
    ...files.map(({ path, blob, executable }) => `${path} ${blob} ${executable}`),
  ]
}

describe('a commit', () => {
  test('leaves the tree that the embedded host leaves, whatever the changes', async () => {
    const name = fc.constantFrom(
      'catalog',
      'catalog/a.yaml',
      'catalog/deep',
      'catalog/deep/b.yaml',
      'bin',
      'bin/run',
      'bin/run/x',
      'new',
      'new/y',
      'catalog/a.yaml/z',
    )
    const change = fc.record({
      file: name,
      isWrite: fc.boolean(),
      executable: fc.boolean(),
      text: fc.constantFrom('', 'one', 'two'),
    })
    const withoutClash = (changes: readonly { readonly file: string }[]) =>
      changes.every(({ file }, index) =>
        changes.every(
          (other, at) =>
            at === index || (other.file !== file && !file.startsWith(`${other.file}/`)),
        ),
      )
    const steps = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }).filter(withoutClash), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (commits, isTruncated) => {
        await using local = await openLocal()
        await using fixture = await openGitHub({
          peer: { behaviour: { treeEntriesMax: isTruncated ? 2 : 100 } },
        })
        for (const changes of commits) {
          const asked = changes.map(({ file, isWrite, text, executable }) =>
            isWrite ? write(file, text, executable) : remove(file),
          )
          const outcomes = [await commitTo(local, ...asked), await commitTo(fixture, ...asked)]
          const [expected, actual] = outcomes.map((made) => (made.ok ? 'made' : made.error.kind))
          expect(actual).toBe(expected)
          expect(await filesOf(fixture.host, fixture)).toStrictEqual(
            await filesOf(local.host, local),
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  test('removes what is in the way before it writes', async () => {
    await using fixture = await openGitHub()
    const { github } = fixture
    value(await commitTo(fixture, write('README.md/below', 'x'), write('catalog', 'x')))
    const bodies = github.arrivals.filter(({ name }) => name === 'git/create-tree')
    const paths = bodies.map(({ body }) =>
      (
        body as { readonly tree: readonly { readonly path: string; readonly sha?: null }[] }
      ).tree.map((entry) => (entry.sha === null ? `-${entry.path}` : entry.path)),
    )
    expect(paths).toStrictEqual([
      ['-README.md', '-catalog/a.yaml', '-catalog/deep/b.yaml'],
      ['README.md/below', 'catalog'],
    ])
  })

  test('removes a folder with what no path of ours can name', async () => {
    await using fixture = await openGitHub()
    await fixture.plant(MAIN, [
      { path: 'keep', mode: '100644', content: 'x' },
      { path: 'odd/link', mode: '120000', content: '../keep' },
      { path: 'odd/module', mode: '160000', content: fixture.seed },
      { path: 'odd/ünïcode', mode: '100644', content: 'x' },
    ])
    value(await commitTo(fixture, write('odd', 'a file now')))
    const head = value(await fixture.host.head(fixture.repository))
    const listing = value(await fixture.host.listFiles(fixture.repository, head))
    expect(listing.skipped).toStrictEqual([])
    expect(listing.files.map(({ path }) => String(path))).toStrictEqual(['keep', 'odd'])
  })

  test('carries every kind of bytes, some of them in requests of their own', async () => {
    await using fixture = await openGitHub()
    const contents: Record<string, Uint8Array> = {
      text: Buffer.from('“text”\r\n🚀'),
      bom: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
      nul: Uint8Array.of(0x61, 0, 0x62),
      latin: Uint8Array.of(0xe9),
      large: new Uint8Array(3_000_000).fill(0x61),
      larger: new Uint8Array(3_000_000).fill(0x62),
    }
    const changes = Object.entries(contents).map(([file, bytes]) => write(file, bytes))
    const { commit } = value(await commitTo(fixture, ...changes))
    const files = Object.keys(contents).map((file) => ({ path: path(file) }))
    const reads = fixture.host.readFiles(fixture.repository, commit, files, BYTES_MAX)
    const read = await Array.fromAsync(reads, value)
    for (const { path: file, bytes } of read) {
      expect(bytes !== null && Buffer.from(bytes).equals(contents[file] ?? Buffer.from('?'))).toBe(
        true,
      )
    }
    expect(read.length).toBe(files.length)
    const blobs = fixture.github.arrivals.filter(({ name }) => name === 'git/create-blob')
    expect(blobs.length).toBe(3)
  })

  test('names the person as author, or leaves the signature to GitHub', async () => {
    for (const commitAuthor of ['person', 'app'] as const) {
      await using fixture = await openGitHub({ access: 'app', repositories: { commitAuthor } })
      const author = { name: 'Ada\n<evil@example.com>', email: 'ada@example.com' }
      const { commit } = value(
        await fixture.host.commit(fixture.repository, {
          branch: branch('topic'),
          from: { kind: 'create', parent: fixture.seed },
          changes: [write('x', 'x')],
          message: 'Change\n\nRun: 1\n',
          author,
        }),
      )
      const made = await readCommit(fixture.seeded.git, commit)
      const name = 'Ada  evil@example.com'
      if (commitAuthor === 'person') {
        expect(made?.author.name).toBe(name)
        expect(made?.message).toBe('Change\n\nRun: 1\n')
      } else {
        expect(made?.author.email).not.toBe(author.email)
        expect(made?.message).toBe(`Change\n\nRun: 1\nCo-authored-by: ${name} <ada@example.com>\n`)
      }
    }
  })

  test.each([
    ['branch protection', ['Changes must be made through a pull request.']],
    [
      'branch protection',
      ['Required status check "ci" is expected.', 'At least 1 approving review is required.'],
    ],
    ['rules', ['Cannot update this protected ref.']],
  ] as const)('is refused by %s: %p', async (by, reasons) => {
    await using fixture = await openGitHub()
    fixture.seeded.protections.set('main', { by, reasons })
    const refused = await commitTo(fixture, write('x', 'x'))
    expect(refused).toMatchObject({ ok: false, error: { kind: 'git_denied' } })
    expect(refused.ok || ('what' in refused.error && refused.error.what)).toContain(
      'branch main is protected',
    )
    expect(String(value(await fixture.host.head(fixture.repository)).commit)).toBe(fixture.seed)
  })

  test.each([
    ['Update is not a fast forward', false, { kind: 'git_conflict', branch: 'main' }],
    [
      'Reference cannot be updated',
      true,
      { kind: 'git_denied', what: 'branch main is protected (Reference cannot be updated)' },
    ],
    [
      'Reference cannot be updated',
      false,
      {
        kind: 'git_host_error',
        reason: 'refused to move main: Reference cannot be updated',
      },
    ],
  ])('is refused with %p of a protected branch: %p', async (message, isProtected, error) => {
    await using fixture = await openGitHub()
    if (isProtected)
      fixture.seeded.protections.set('main', { by: 'branch protection', reasons: [] })
    const fault = { kind: 'answer', status: 422, body: { message } } as const
    fixture.github.fail({ on: 'git/update-ref', fault })
    const refused: unknown = await commitTo(fixture, write('x', 'x'))
    expect(refused).toStrictEqual({ ok: false, error })
  })

  test.each([
    ['Reference already exists', { kind: 'git_branch_exists', branch: 'topic' }],
    [
      'Reference update failed',
      { kind: 'git_denied', what: 'branch topic may not be made (Reference update failed)' },
    ],
    [
      'Object does not exist',
      { kind: 'git_host_error', reason: 'refused to move topic: Object does not exist' },
    ],
  ])('on a new branch is refused with %p', async (message, error) => {
    await using fixture = await openGitHub()
    const { github, host, repository, seed } = fixture
    github.fail({ on: 'git/create-ref', fault: { kind: 'answer', status: 422, body: { message } } })
    const refused: unknown = await host.commit(repository, {
      branch: branch('topic'),
      from: { kind: 'create', parent: seed },
      changes: [write('x', 'x')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(refused).toStrictEqual({ ok: false, error })
  })

  test('with a secret, which push protection finds, is denied', async () => {
    await using fixture = await openGitHub()
    const message = 'Repository rule violations found\n\nSecret detected in content\n\n'
    const fault = { kind: 'answer', status: 409, body: { message } } as const
    fixture.github.fail({ on: 'git/create-blob', fault })
    const secret = write('x', Uint8Array.of(0, 1))
    expect(await commitTo(fixture, secret)).toStrictEqual({
      ok: false,
      error: {
        kind: 'git_denied',
        what: 'acme/gitops refuses the contents (Repository rule violations found Secret detected in content)',
      },
    })
  })

  test('of a workflow needs a right that GitHub answers 404 without', async () => {
    await using fixture = await openGitHub()
    const { github } = fixture
    const fault = { kind: 'answer', status: 404, body: { message: 'Not Found' } } as const
    for (const [file, right] of [
      ['.github/workflows/ci.yaml', 'contents: write and workflows: write'],
      ['x', 'contents: write'],
    ] as const) {
      github.fail({ on: 'git/create-tree', fault })
      expect(await commitTo(fixture, write(file, 'on: push'))).toStrictEqual({
        ok: false,
        error: { kind: 'git_denied', what: `${right} on acme/gitops` },
      })
      github.mend()
    }
  })

  test('on a branch that a first arrival of the same request made is a success', async () => {
    await using fixture = await openGitHub()
    const { github, host, repository, seed } = fixture
    const again = { status: 422, body: { message: 'Reference already exists' } }
    github.fail({ on: 'git/create-ref', fault: { kind: 'answer', ...again, after: true } })
    const made = await host.commit(repository, {
      branch: branch('topic'),
      from: { kind: 'create', parent: seed },
      changes: [write('x', 'x')],
      message: 'Change',
      author: AUTHOR,
    })
    expect(await host.head(repository, branch('topic'))).toStrictEqual(made)
  })

  test('whose answer is lost is found although somebody went on from it', async () => {
    await using fixture = await openGitHub()
    const { github, seeded: gitops } = fixture
    const lost = Promise.withResolvers<void>()
    github.fail({ on: 'git/update-ref', fault: { kind: 'reset', after: true } })
    // The branch is read before and after it is moved.
    github.fail({ on: 'git/get-ref', nth: 3, fault: { kind: 'wait', until: lost.promise } })
    const committing = commitTo(fixture, write('x', 'x'))
    while (!github.arrivals.some(({ name }) => name === 'git/update-ref')) await Bun.sleep(1)
    let ours = await gitops.git.reference('refs/heads/main')
    while (ours === String(fixture.seed)) ours = await gitops.git.reference('refs/heads/main')
    await commitFiles(gitops, 'main', [{ path: 'y', bytes: Buffer.from('y') }])
    lost.resolve()
    expect(String(value(await committing).commit)).toBe(String(ours))
  })
})

describe('what a branch has and another has not', () => {
  const grow = async ({ seeded: gitops }: GitHubFixture, length: number) => {
    await gitops.git.git(
      ['fast-import', '--quiet', '--force'],
      Array.from({ length }, (_, index) => {
        const from = index === 0 ? 'from refs/heads/main^0\n' : ''
        const text = `commit ${index}`
        return `commit refs/heads/topic\ncommitter A <a@b> ${1_700_000_000 + index} +0000\ndata ${text.length}\n${text}\n${from}\n`
      }).join(''),
    )
  }

  test.each([5, 100, 101, 250])('comes newest first, of %d commits', async (length) => {
    await using fixture = await openGitHub()
    await grow(fixture, length)
    const { host, repository, seed } = fixture
    const { commit: of } = value(await host.head(repository, branch('topic')))
    for (const limit of [1, 99, 120, 400]) {
      const commits = value(await host.listCommits(repository, { of, without: seed, limit }))
      const expected = Array.from({ length }, (_, index) => `commit ${length - 1 - index}`)
      expect(commits.map(({ message }) => message.trim())).toStrictEqual(expected.slice(0, limit))
    }
  })

  test('is everything when they share nothing', async () => {
    await using fixture = await openGitHub()
    const { host, repository, seed } = fixture
    await fixture.plant(branch('island'), [{ path: 'x', mode: '100644', content: 'x' }])
    const { commit: of } = value(await host.head(repository, branch('island')))
    const commits = value(await host.listCommits(repository, { of, without: seed, limit: 10 }))
    expect(commits.map(({ id }) => id)).toStrictEqual([of])
  })
})
