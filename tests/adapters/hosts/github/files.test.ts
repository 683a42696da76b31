import { expect, test } from 'bun:test'
import { packTar } from 'modern-tar'
import { BYTES_MAX, bytes, collect, MAIN, oid, path, value } from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

test('files come through archives, and those that archives change come one by one', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github, seeded: gitops } = fixture
  const names = Array.from({ length: 250 }, (_, index) => `many/${index}.txt`)
  const contentOf = (name: string) => Buffer.from(`${name}\n$Format:%H$\n`)
  await commitFiles(gitops, 'main', [
    ...names.map((name) => ({ path: name, bytes: contentOf(name) })),
    {
      path: '.gitattributes',
      bytes: Buffer.from('1.txt export-ignore\n2.txt export-subst\n3.txt text eol=crlf\n'),
    },
  ])
  const { commit } = value(await host.head(repository))
  const { files } = value(await host.listFiles(repository, { commit, directory: path('many') }))
  const before = github.arrivals.length
  const read = await collect(host.readFiles(repository, commit, files, BYTES_MAX))
  expect(read).toStrictEqual(
    new Map(files.map(({ path: name }) => [String(name), contentOf(name).toString()])),
  )
  const made = github.arrivals.slice(before).map(({ name }) => name)
  expect(made.filter((name) => name === 'git/get-blob').length).toBe(3)
  expect(made.filter((name) => name === 'repos/download-tarball-archive').length).toBe(1)
})

const bytesOf = (name: string) => Buffer.from(`of ${name.padStart(12)}\n`)

/** A listing of 250 files, which are read by an archive. */
async function withManyFiles({ seeded, host, repository }: GitHubFixture) {
  const names = Array.from({ length: 250 }, (_, index) => `many/${index}`)
  const files = names.map((name) => ({ path: name, bytes: bytesOf(name) }))
  await commitFiles(seeded, 'main', files)
  const { commit } = value(await host.head(repository, MAIN))
  const listing = value(await host.listFiles(repository, { commit, directory: path('many') }))
  const whole = new Map(listing.files.map(({ path: name }) => [name, bytesOf(name).toString()]))
  return { commit, files: listing.files, whole }
}

const inOrder = (texts: ReadonlyMap<string, string>) =>
  [...texts].map((entry) => entry.join(': ')).toSorted()

const countOf = ({ github }: GitHubFixture, name: string) =>
  github.arrivals.filter((arrival) => arrival.name === name).length

test('an archive that is cut off is asked for once more', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github } = fixture
  const { commit, files, whole } = await withManyFiles(fixture)
  github.fail({ on: 'storage/archive', fault: { kind: 'cut', bytes: 900 } })
  const read = await collect(host.readFiles(repository, commit, files, BYTES_MAX))
  expect(inOrder(read)).toStrictEqual(inOrder(whole))
  expect(countOf(fixture, 'repos/download-tarball-archive')).toBe(2)
  expect(countOf(fixture, 'git/get-blob')).toBe(0)
})

test('files of an archive that are others of the same size are not believed', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github } = fixture
  const { commit, files, whole } = await withManyFiles(fixture)
  const tar = await packTar(
    files.map(({ path: name }, index) => {
      const body = index < 3 ? bytesOf(name).fill('?') : bytesOf(name)
      return { header: { name: `acme-gitops/${name}`, size: body.length }, body }
    }),
  )
  const archive = { kind: 'answer', status: 200, body: Bun.gzipSync(tar) } as const
  github.fail({ on: 'storage/archive', fault: archive })
  const read = await collect(host.readFiles(repository, commit, files, BYTES_MAX))
  expect(inOrder(read)).toStrictEqual(inOrder(whole))
  expect(countOf(fixture, 'git/get-blob')).toBe(3)
})

test('the limit holds where a listing has no sizes', async () => {
  await using fixture = await openGitHub()
  const { repository, github, seeded } = fixture
  await commitFiles(seeded, 'main', [{ path: 'many/big', bytes: Buffer.alloc(500, 'x') }])
  const withoutSizes = (body: unknown) => ({
    ...(body as object),
    tree: (body as { readonly tree: readonly object[] }).tree.map((entry) => ({
      ...entry,
      size: undefined,
    })),
  })
  github.fail({ on: 'git/get-tree', times: 9, fault: { kind: 'alter', alter: withoutSizes } })
  const { commit, files } = await withManyFiles(fixture)
  const read = await Array.fromAsync(
    fixture.another().readFiles(repository, commit, files, 499),
    value,
  )
  const withoutBytes = read.filter(({ bytes }) => bytes === null)
  expect(withoutBytes.map((file) => String(file.path))).toStrictEqual(['many/big'])
})

test('a blob or a tree that is another one is no answer', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github, seed: commit } = fixture
  const other = (members: object) => (body: unknown) => ({ ...(body as object), ...members })
  const tree = { sha: 'a'.repeat(40) }
  github.fail({ on: 'git/get-tree', fault: { kind: 'alter', alter: other(tree) } })
  expect(await host.listFiles(repository, { commit })).toMatchObject({
    ok: false,
    error: { kind: 'git_host_error' },
  })
  const blob = { content: 'eA==', encoding: 'base64' }
  github.fail({ on: 'git/get-blob', fault: { kind: 'alter', alter: other(blob) } })
  const files = [{ path: path('README.md') }]
  expect(await Array.fromAsync(host.readFiles(repository, commit, files, BYTES_MAX))).toMatchObject(
    [{ ok: false, error: { kind: 'git_host_error' } }],
  )
  const read = await collect(host.readFiles(repository, commit, files, BYTES_MAX))
  expect(read.get('README.md')).toBe('hello\n')
})

test.each([100, 2])(
  'a large file is not asked for, in listings of up to %d entries',
  async (treeEntriesMax) => {
    await using fixture = await openGitHub({ peer: { behaviour: { treeEntriesMax } } })
    const { repository, github, seeded } = fixture
    await commitFiles(seeded, 'main', [{ path: 'catalog/big', bytes: Buffer.alloc(5_000, 'x') }])
    const big = path('catalog/big')
    for (const isListed of [true, false]) {
      const host = fixture.another()
      const { commit } = value(await host.head(repository))
      const at = { commit, directory: path('catalog') }
      const { files } = value(await host.listFiles(repository, at))
      const asked = isListed ? files.filter((file) => file.path === big) : [{ path: big }]
      const read = await Array.fromAsync(host.readFiles(repository, commit, asked, 4_999), value)
      expect(read.map((file) => [file.path, file.bytes])).toStrictEqual([[big, null]])
    }
    expect(github.arrivals.some(({ name }) => name === 'git/get-blob')).toBe(false)
  },
)

test('a large file is not held whole, even where the host says no sizes', async () => {
  await using fixture = await openGitHub()
  const { github, host, repository } = fixture
  await fixture.plant(MAIN, [
    { path: 'large', mode: '100644', content: 'x'.repeat(2_000_000) },
    { path: 'larger', mode: '100644', content: 'y'.repeat(8_000_000) },
    { path: 'small', mode: '100644', content: 'z' },
  ])
  type Entries = { readonly tree: readonly object[] }
  github.fail({
    on: 'git/get-tree',
    fault: {
      kind: 'alter',
      alter: (body) => ({
        ...(body as Entries),
        tree: (body as Entries).tree.map((entry) => ({ ...entry, size: undefined })),
      }),
    },
  })
  const { commit } = value(await host.head(repository))
  const files = ['large', 'larger', 'small'].map((file) => ({ path: path(file) }))
  const read = await Array.fromAsync(host.readFiles(repository, commit, files, 1_000_000), value)
  expect(new Map(read.map((file) => [String(file.path), file.bytes?.length]))).toStrictEqual(
    new Map([
      ['large', undefined],
      ['larger', undefined],
      ['small', 1],
    ]),
  )
})

test('a folder beside a thousand others is found, although GitHub leaves it out', async () => {
  await using fixture = await openGitHub()
  const { github, host, repository, seeded } = fixture
  const file = { path: 'apps/payments/shop/a', bytes: bytes('a') }
  const commit = oid(await commitFiles(seeded, 'main', [file]))
  const others = (body: unknown) =>
    Array.from({ length: 1_000 }, (_, index) => ({
      ...(body as readonly object[])[0],
      path: `apps/payments/app-${index}`,
    }))
  github.fail({ on: 'repos/get-content', fault: { kind: 'alter', alter: others } })
  const at = { commit, directory: path('apps/payments/shop') }
  const { files } = value(await host.listFiles(repository, at))
  expect(files.map(({ path }) => String(path))).toStrictEqual(['apps/payments/shop/a'])
})

test('a folder is one whether its mode has a zero before it or not', async () => {
  await using fixture = await openGitHub()
  const { github, host, repository } = fixture
  const listed = async () => {
    const { commit } = value(await fixture.another().head(repository))
    return value(
      await fixture.another().listFiles(repository, { commit, directory: path('catalog') }),
    )
  }
  const expected = await listed()
  type Entries = { readonly tree: readonly { readonly mode: string }[] }
  github.fail({
    on: 'git/get-tree',
    fault: {
      kind: 'alter',
      alter: (body) => ({
        ...(body as Entries),
        tree: (body as Entries).tree.map(({ mode, ...entry }) => ({
          ...entry,
          mode: mode.replace(/^0/, ''),
        })),
      }),
    },
  })
  expect(await listed()).toStrictEqual(expected)
  expect(expected.tree).not.toBeNull()
  expect((await host.head(repository)).ok).toBe(true)
})
