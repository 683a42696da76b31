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

test('an asset is downloaded where Portico reaches the host, whatever its ROOT_URL', async () => {
  await using fixture = await openFake()
  await publish(fixture)
  const { gitea } = fixture
  const alter = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body).replaceAll(`${gitea.url}/`, 'https://git.example.org/below/'))
  gitea.fail({ on: 'repoListReleases', fault: { kind: 'alter', alter } })
  const host = createGitea(optionsFor(fixture.server))
  const stream = value(await openAsset({ ...fixture, host }))
  expect(await new Response(stream).text()).toBe('tool')
  expect(gitea.arrivals.at(-1)?.authorization).toBe(`token ${fixture.server.token}`)
})

test('an external asset of Forgejo, which Gitea redirects to, is not fetched from everywhere', async () => {
  await using fixture = await openFake()
  await publish(fixture)
  const headers = { location: 'https://169.254.169.254/latest' }
  const fault = { kind: 'answer', status: 303, body: '', headers } as const
  fixture.gitea.fail({ on: 'attachment', fault })
  expect(await openAsset(fixture)).toStrictEqual({
    ok: false,
    error: { kind: 'git_host_error', reason: 'a redirect to a host that cannot be storage' },
  })
})
