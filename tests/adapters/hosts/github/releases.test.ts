import { expect, test } from 'bun:test'
import { value } from '#tests/contracts/git-host.ts'
import { publishRelease } from '#tests/peers/github/releases.ts'
import { openGitHub } from './open-github.ts'

const asset = { filename: 'tool', bytes: Buffer.from('x') }
const release = { tag: 'v1', draft: false, prerelease: false, assets: [asset] }

test('an asset has its digest, where GitHub has one', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github, seeded } = fixture
  const [account] = github.state.accounts.values()
  if (account === undefined) throw new Error('no account')
  publishRelease(github.state, seeded, account, release)
  publishRelease(github.state, seeded, account, { ...release, tag: 'v0' }, false)
  const listed = value(await host.releases.list(repository))
  const sha256 = new Bun.CryptoHasher('sha256').update('x').digest('hex')
  const digests = listed.map(({ tag, assets }) => [tag, assets[0]?.sha256])
  expect(new Map(digests as [string, string | null][])).toStrictEqual(
    new Map([
      ['v0', null],
      ['v1', sha256],
    ]),
  )
})

test('an asset that is not uploaded yet is none', async () => {
  await using fixture = await openGitHub()
  const { host, repository, github } = fixture
  await fixture.publishRelease(release)
  const unfinished = (body: unknown) =>
    (body as readonly { readonly assets: readonly object[] }[]).map((each) => ({
      ...each,
      assets: [{ ...each.assets[0], state: 'open', name: 'unfinished' }, ...each.assets],
    }))
  github.fail({ on: 'repos/list-releases', fault: { kind: 'alter', alter: unfinished } })
  const [listed] = value(await host.releases.list(repository))
  expect(listed?.assets.map(({ filename }) => filename)).toStrictEqual(['tool'])
})

test('releases come from all pages', async () => {
  await using fixture = await openGitHub()
  for (let index = 0; index < 230; index += 1) {
    await fixture.publishRelease({ ...release, tag: `v${index}` })
  }
  const listed = value(await fixture.host.releases.list(fixture.repository))
  expect(new Set(listed.map(({ tag }) => tag)).size).toBe(230)
})
