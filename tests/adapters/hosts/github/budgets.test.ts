import { expect, test } from 'bun:test'
import type { ObjectId } from '#src/lib/names.ts'
import {
  AUTHOR,
  branch,
  BYTES_MAX,
  bytes,
  collect,
  MAIN,
  oid,
  path,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { openGitHub, type GitHubFixture } from './open-github.ts'

const ENTITIES = 500

/** Requests to the API of what runs, without those to storage. */
async function requestsOf({ github }: GitHubFixture, run: () => Promise<unknown>): Promise<number> {
  const before = github.arrivals.length
  await run()
  const made = github.arrivals.slice(before)
  return made.filter(({ name }) => !name.startsWith('storage/')).length
}

async function withCatalog(): Promise<GitHubFixture> {
  const fixture = await openGitHub()
  const files = Array.from({ length: ENTITIES }, (_, index) => ({
    path: `catalog/team-${index % 20}/app-${index}.yaml`,
    bytes: bytes(`name: app-${index}\n`),
  }))
  await commitFiles(fixture.seeded, 'main', files)
  return fixture
}

test('a catalog is loaded, found unchanged and updated in few requests', async () => {
  await using fixture = await withCatalog()
  const { host, repository, seeded } = fixture
  const kept = new Map<string, string>()
  const load = async () => {
    const { commit } = value(await host.head(repository))
    const { files } = value(
      await host.listFiles(repository, { commit, directory: path('catalog') }),
    )
    const fresh = files.filter(({ blob }) => !kept.has(blob))
    for (const { path, blob } of files) kept.set(blob, path)
    return (await collect(host.readFiles(repository, commit, fresh, BYTES_MAX))).size
  }
  let read = 0
  const loading = async () => (read = await load())
  expect(await requestsOf(fixture, loading)).toBeLessThanOrEqual(5)
  expect(read).toBe(ENTITIES + 2)
  expect(await requestsOf(fixture, () => host.head(repository))).toBe(1)
  await commitFiles(seeded, 'main', [
    { path: 'catalog/team-1/app-1.yaml', bytes: bytes('name: changed\n') },
  ])
  expect(await requestsOf(fixture, loading)).toBeLessThanOrEqual(4)
  expect(read).toBe(1)
})

test('an application at an old commit takes two requests, and its files one each', async () => {
  await using fixture = await withCatalog()
  const { host, repository, seeded } = fixture
  const folder = 'apps/payments/shop'
  const commits = []
  for (const tag of ['1', '2', '3']) {
    const overlay = { path: `${folder}/overlays/dev/kustomization.yaml`, bytes: bytes(tag) }
    const base = { path: `${folder}/base/kustomization.yaml`, bytes: bytes('base') }
    commits.push(oid(await commitFiles(seeded, 'main', [overlay, base])))
  }
  value(await host.head(repository))
  const read = async (commit: ObjectId, directory = folder) => {
    const at = { commit, directory: path(directory) }
    const { tree, files } = value(await host.listFiles(repository, at))
    return { tree, texts: await collect(host.readFiles(repository, commit, files, BYTES_MAX)) }
  }
  const requests = []
  for (const [index, commit] of commits.entries()) {
    requests.push(
      await requestsOf(fixture, async () => {
        const { texts } = await read(commit)
        expect(texts.get(`${folder}/overlays/dev/kustomization.yaml`)).toBe(String(index + 1))
      }),
    )
  }
  expect(requests).toStrictEqual([4, 3, 3])
  for (const absent of ['apps/payments/none', 'apps/none/shop', 'catalog/team-1/app-1.yaml']) {
    expect(await read(commits[0] ?? oid(''), absent)).toStrictEqual({
      tree: null,
      texts: new Map(),
    })
  }
})

test('a change and its pull request take at most eight requests', async () => {
  await using fixture = await withCatalog()
  const { host, repository } = fixture
  value(await host.head(repository))
  const propose = async () => {
    const head = value(await host.head(repository))
    const made = await host.commit(repository, {
      branch: branch('promote/shop/staging'),
      from: { kind: 'create', parent: head.commit },
      changes: [write('apps/shop/staging.yaml', 'replicas: 2\n')],
      message: 'Promote shop',
      author: AUTHOR,
    })
    value(made)
    const draft = { head: branch('promote/shop/staging'), base: MAIN, title: 't', body: 'b' }
    value(await host.openPullRequest(repository, { ...draft, author: AUTHOR }))
  }
  expect(await requestsOf(fixture, propose)).toBeLessThanOrEqual(8)
})

test('a repository of text files takes at most eight requests', async () => {
  await using fixture = await openGitHub()
  const { host } = fixture
  const create = async () =>
    value(
      await host.createRepository(repositoryId('acme', 'fresh'), {
        description: 'Fresh',
        marker: 'run-1',
        files: Array.from({ length: 30 }, (_, index) => write(`src/${index}.ts`, `${index}\n`)),
        message: 'Initial commit',
        author: AUTHOR,
        team: TEAM,
      }),
    )
  expect(await requestsOf(fixture, create)).toBeLessThanOrEqual(8)
})
