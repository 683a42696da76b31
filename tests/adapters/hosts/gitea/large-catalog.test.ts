import { expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import type { RepositoryId } from '#src/lib/names.ts'
import { BYTES_MAX, path, value } from '#tests/contracts/git-host.ts'
import { FORGEJO_11, GITEA_1_26 } from '#tests/peers/gitea/flavour.ts'
import { type FakeFixture, type GiteaFixture, openFake, optionsFor } from './open-gitea.ts'

/** More than two pages of Gitea's listing. */
const FILES = 2_500
const FIRST_LOAD_MAX = 6
const ONE_CHANGED_MAX = 5

const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
const contentOf = (index: number) => `kind: Component\nname: app-${index}\n`

/** Commits files on the default branch, as people push them. */
async function pushFiles(
  fixture: GiteaFixture,
  files: Readonly<Record<string, string>>,
  modes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const changes = Object.entries(files).map(
    ([file, content]) => `M ${modes[file] ?? '100644'} inline ${file}\n${data(content)}`,
  )
  await fixture.git(['fetch', '--quiet', fixture.remote, '+main:main'])
  await fixture.git(
    ['fast-import', '--quiet', '--force'],
    `commit refs/heads/main\ncommitter A <a@b> 1 +0000\n${data('Many')}from refs/heads/main^0\n${changes.join('')}\n`,
  )
  await fixture.git(['push', '--quiet', fixture.remote, 'main'])
}

const catalog = Object.fromEntries(
  Array.from({ length: FILES }, (_, index) => [
    `catalog/team-${index % 50}/app-${index}.yaml`,
    contentOf(index),
  ]),
)

/** Everything that a load of the catalog does, and how many requests it took. */
async function load({ gitea }: FakeFixture, host: GitHost, repository: RepositoryId) {
  gitea.arrivals.splice(0)
  const head = value(await host.head(repository))
  const at = { commit: head.commit, directory: path('catalog') }
  const { files, tree } = value(await host.listFiles(repository, at))
  const contents = new Map<string, string>()
  for await (const read of host.readFiles(repository, head.commit, files, BYTES_MAX)) {
    const { path: file, bytes } = value(read)
    contents.set(file, new TextDecoder().decode(bytes ?? new Uint8Array()))
  }
  const requests = gitea.arrivals.map(({ name }) => name)
  return { files, tree, contents, requests }
}

const count = (requests: readonly string[], name: string) =>
  requests.filter((each) => each === name).length

test.each([
  ['Gitea', GITEA_1_26],
  ['Forgejo, which archives the whole repository', FORGEJO_11],
])('a large catalog takes few requests of %s', async (_, flavour) => {
  await using fixture = await openFake(flavour)
  const { repository, server } = fixture
  await pushFiles(
    fixture,
    { ...catalog, 'catalog/run': '#!/bin/sh\n' },
    { 'catalog/run': '100755' },
  )
  const host = createGitea(optionsFor(server))

  const first = await load(fixture, host, repository)
  expect(first.files.length).toBe(FILES + 3)
  expect(first.contents.get('catalog/team-7/app-7.yaml')).toBe(contentOf(7))
  expect(
    first.files.filter(({ executable }) => executable).map((file) => String(file.path)),
  ).toStrictEqual(['catalog/run'])
  expect(first.requests.length).toBeLessThanOrEqual(FIRST_LOAD_MAX)

  const unchanged = await load(fixture, host, repository)
  expect(unchanged.contents).toStrictEqual(first.contents)
  expect(unchanged.requests).toStrictEqual(['repoListGitRefs'])

  await pushFiles(fixture, { 'catalog/team-7/app-7.yaml': 'changed\n' })
  const changed = await load(fixture, host, repository)
  expect(changed.contents.get('catalog/team-7/app-7.yaml')).toBe('changed\n')
  expect(changed.files.length).toBe(FILES + 3)
  expect(changed.requests.length).toBeLessThanOrEqual(ONE_CHANGED_MAX)
})

test.each([
  ['leaves a file out', { '.gitattributes': 'app-7.yaml export-ignore\n' }],
  ['converts line ends', { '.gitattributes': '*.yaml text eol=crlf\n' }],
  ['has a link, which is no file', { 'catalog/link': 'README.md' }],
])('an archive that %s is no listing', async (_, files) => {
  await using fixture = await openFake()
  const { repository, server } = fixture
  await pushFiles(fixture, { ...catalog, ...files }, { 'catalog/link': '120000' })
  const host = createGitea(optionsFor(server))
  const { files: listed, contents, requests } = await load(fixture, host, repository)
  expect(listed.length).toBe(FILES + 2)
  expect(contents.get('catalog/team-7/app-7.yaml')).toBe(contentOf(7))
  expect(contents.size).toBe(listed.length)
  expect(count(requests, 'repoGetArchive')).toBeGreaterThan(0)
})

test.each([
  ['refused', { kind: 'answer', status: 404, body: 'no' }],
  ['cut off', { kind: 'cut', bytes: 20_000 }],
  ['no archive', { kind: 'answer', status: 200, body: '<html>' }],
] as const)('a catalog whose archive is %s is listed by pages', async (_, fault) => {
  await using fixture = await openFake()
  const { repository, server, gitea } = fixture
  await pushFiles(fixture, catalog)
  const host = createGitea(optionsFor(server))
  gitea.fail({ on: 'repoGetArchive', times: 100, fault })
  const { files, contents } = await load(fixture, host, repository)
  expect(files.length).toBe(FILES + 2)
  expect(contents.size).toBe(files.length)
})

test('a page that is cut off, or shorter than announced, is a failure and no shorter catalog', async () => {
  await using fixture = await openFake()
  const { repository, server, gitea } = fixture
  const { commit } = value(await fixture.host.head(repository))
  const shorter = (body: unknown) => ({ ...(body as object), total_count: 100 })
  for (const fault of [
    { kind: 'cut', bytes: 100 },
    { kind: 'alter', alter: shorter },
  ] as const) {
    const host = createGitea(optionsFor(server))
    gitea.fail({ on: 'GetTree', times: 10, fault })
    const listed = await host.listFiles(repository, { commit })
    expect(listed).toMatchObject({ ok: false, error: { kind: 'git_host_error' } })
    gitea.mend()
    expect((await host.listFiles(repository, { commit })).ok).toBe(true)
  }
})

test.each([
  ['other bytes than its id', 'eHh4'],
  ['no base64', '***'],
])('a blob with %s is a failure', async (_, content) => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { commit } = value(await host.head(repository))
  const other = (body: unknown) => ({ ...(body as object), content })
  gitea.fail({ on: 'GetBlob', fault: { kind: 'alter', alter: other } })
  const files = [{ path: path('README.md') }]
  const read = await Array.fromAsync(host.readFiles(repository, commit, files, BYTES_MAX))
  expect(read).toMatchObject([{ ok: false, error: { kind: 'git_host_error' } }])
})
