import { expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import { bytes, value } from '#tests/contracts/git-host.ts'
import { type FakeFixture, openFake, optionsFor } from './open-gitea.ts'

const CONTENT = bytes('tool')

async function openAsset({ host, repository }: FakeFixture) {
  const [release] = value(await host.releases.list(repository))
  const [asset] = release?.assets ?? []
  if (asset === undefined) throw new Error('no asset')
  return await host.releases.openAsset(repository, asset, new AbortController().signal)
}
const publish = (fixture: FakeFixture) =>
  fixture.publishRelease({
    tag: 'tool-v1.0.0',
    draft: false,
    prerelease: false,
    assets: [{ filename: 'tool', bytes: CONTENT }],
  })
const linked = (to: (link: string) => string) => (body: unknown) => {
  const asset = body as { browser_download_url: string }
  return { ...asset, browser_download_url: to(asset.browser_download_url) }
}

test('an asset is downloaded where Portico reaches the host, whatever its ROOT_URL', async () => {
  await using fixture = await openFake()
  await publish(fixture)
  const { gitea } = fixture
  const ROOT_URL = 'https://git.example.org/below/'
  const atRoot = (link: string) => link.replace(`${gitea.url}/`, ROOT_URL)
  const repository = (body: unknown) => {
    const facts = body as { html_url: string }
    return { ...facts, html_url: atRoot(facts.html_url) }
  }
  gitea.fail({ on: 'repoGet', times: 9, fault: { kind: 'alter', alter: repository } })
  gitea.fail({
    on: 'repoGetReleaseAttachment',
    fault: { kind: 'alter', alter: linked(atRoot) },
  })
  const host = createGitea(optionsFor(fixture.server))
  const stream = value(await openAsset({ ...fixture, host }))
  expect(await new Response(stream).text()).toBe('tool')
  expect(gitea.arrivals.at(-1)?.authorization).toBe(`token ${fixture.server.token}`)
})

test.each([
  'http://files.example.org/tool',
  'https://169.254.169.254/latest',
  'https://intranet/tool',
  'file:///etc/passwd',
  'javascript:alert(1)',
])('an external asset at %s is refused', async (link) => {
  await using fixture = await openFake()
  await publish(fixture)
  fixture.gitea.fail({
    on: 'repoGetReleaseAttachment',
    fault: { kind: 'alter', alter: linked(() => link) },
  })
  expect(await openAsset(fixture)).toStrictEqual({
    ok: false,
    error: { kind: 'git_host_error', reason: 'an asset is at a refused URL' },
  })
})
