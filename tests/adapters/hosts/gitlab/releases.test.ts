import { describe, expect, test } from 'bun:test'
import { createGitLab } from '#src/lib/adapters/hosts/gitlab/index.ts'
import type { ReleaseAsset } from '#src/lib/ports/git-host.ts'
import { bytes, value } from '#tests/contracts/git-host.ts'
import { type FakeFixture, openFake, optionsFor } from './open-gitlab.ts'

const publish = async (fixture: FakeFixture, tag: string, ...filenames: string[]) =>
  fixture.publishRelease({
    tag,
    draft: false,
    prerelease: false,
    assets: filenames.map((filename) => ({ filename, bytes: bytes(`${tag} ${filename}`) })),
  })
const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const list = async ({ host, repository }: FakeFixture) =>
  value(await host.releases.list(repository))

describe('assets of releases at GitLab', () => {
  test('are files of generic packages, with their size and digest', async () => {
    await using fixture = await openFake('acme/platform')
    await publish(fixture, 'cli-1.2.3', 'cli-linux-amd64', 'cli darwin+arm64')
    const [release] = await list(fixture)
    const show = ({ id, filename, sizeBytes, sha256 }: ReleaseAsset) => [
      id,
      filename,
      sizeBytes,
      String(sha256),
    ]
    expect(release?.assets.map(show)).toStrictEqual([
      ['cli/cli-1.2.3/cli-linux-amd64', 'cli-linux-amd64', 25, digest('cli-1.2.3 cli-linux-amd64')],
      [
        'cli/cli-1.2.3/cli%20darwin%2Barm64',
        'cli darwin+arm64',
        26,
        digest('cli-1.2.3 cli darwin+arm64'),
      ],
    ])
  })

  test('elsewhere are left out: in other projects, at other hosts, of other kinds', async () => {
    await using fixture = await openFake()
    const { project, gitlab } = fixture
    await publish(fixture, 'cli-1.0.0', 'cli')
    const [release] = project.releases
    const file = '/packages/generic/cli/cli-1.0.0/cli'
    const api = `${gitlab.url}/api/v4/projects`
    const urls = [
      `https://elsewhere.example.org/api/v4/projects/${project.id}${file}`,
      `${api}/4711${file}`,
      `${api}/${project.id}/packages/generic/cli/cli-1.0.0/..`,
      `${api}/${project.id}/packages/generic/cli/cli-1.0.0/%2e%2e%2fx`,
      `${api}/${project.id}/packages/generic/cli/cli-1.0.0/missing`,
      `${gitlab.url}/acme/gitops/uploads/0123/cli`,
      'not a url',
    ]
    const links = urls.map((url, id) => ({ id, name: 'cli', url }))
    const byPath = { id: 99, name: 'x', url: `${api}/acme%2Fgitops${file}?status=default` }
    project.releases[0] = { tag: 'cli-1.0.0', releasedAt: release?.releasedAt ?? 0, links }
    expect((await list(fixture))[0]?.assets).toStrictEqual([])
    project.releases[0] = { tag: 'cli-1.0.0', releasedAt: 0, links: [byPath] }
    expect((await list(fixture))[0]?.assets.length).toBe(1)
  })

  test('are found beside links and files with names that no URL can have', async () => {
    await using fixture = await openFake()
    const { project, gitlab } = fixture
    await publish(fixture, 'cli-1.0.0', 'cli')
    const half = '\ud800'
    project.packages[0]?.files.push({ id: gitlab.state.nextId(), name: half, bytes: bytes('x') })
    const [release] = project.releases
    const url = `${gitlab.url}/api/v4/projects/${project.id}/packages/generic/${half}/1/x`
    const links = [...(release?.links ?? []), { id: 99, name: 'x', url }]
    project.releases[0] = { tag: 'cli-1.0.0', releasedAt: 0, links }
    expect((await list(fixture))[0]?.assets.map(({ filename }) => filename)).toStrictEqual(['cli'])
  })

  test('are the latest of their name, and come from the address in the settings alone', async () => {
    await using fixture = await openFake()
    const { project, gitlab, repository } = fixture
    await publish(fixture, 'cli-1.0.0', 'cli')
    project.packages[0]?.files.push({
      id: gitlab.state.nextId(),
      name: 'cli',
      bytes: bytes('second'),
    })
    // As behind a proxy, where GitLab's own links begin with another URL.
    using front = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url, headers }) =>
        fetch(url.replace(/^http:\/\/[^/]+/, gitlab.url), { headers, redirect: 'manual' }),
    })
    const host = createGitLab(optionsFor({ url: front.url.origin }))
    const [asset] = value(await host.releases.list(repository))[0]?.assets ?? []
    if (asset === undefined) throw new Error('no asset')
    expect([asset.sizeBytes, String(asset.sha256)]).toStrictEqual([6, digest('second')])
    const { signal } = new AbortController()
    const stream = value(await host.releases.openAsset(repository, asset, signal))
    expect(await new Response(stream).text()).toBe('second')
    expect(gitlab.arrivals.at(-1)).toMatchObject({
      name: 'downloadPackageFile',
      path: '/api/v4/projects/acme%2Fgitops/packages/generic/cli/cli-1.0.0/cli',
    })
  })

  test('of a made-up id are not found, whatever it climbs to', async () => {
    await using fixture = await openFake()
    const { host, repository } = fixture
    const { signal } = new AbortController()
    const facts = { filename: 'x', sizeBytes: 1, sha256: null }
    for (const id of ['', '1', '../../x', 'a/b/..', 'a/b/%2e%2e', 'a/b/c%2Fd', 'a/b/%', 'a/b/c']) {
      expect(await host.releases.openAsset(repository, { id, ...facts }, signal)).toStrictEqual({
        ok: false,
        error: { kind: 'git_not_found', what: 'asset' },
      })
    }
  })

  test('are read page by page', async () => {
    await using fixture = await openFake()
    for (let number = 0; number < 130; number += 1) await publish(fixture, `cli-1.${number}.0`)
    expect((await list(fixture)).length).toBe(130)
  })
})
