import { describe, expect, test } from 'bun:test'
import { openFake, openGitea } from '#tests/adapters/hosts/gitea/open-gitea.ts'
import { openGitHub } from '#tests/adapters/hosts/github/open-github.ts'
import { openRealGitHub, realGitHub } from '#tests/adapters/hosts/github/real-github.ts'
import { openLocal } from '#tests/adapters/hosts/open-local.ts'
import { type GitHostFixture, value } from '#tests/contracts/git-host.ts'
import { GITEA_1_26 } from '#tests/peers/gitea/flavour.ts'
import { realGitea } from '#tests/peers/gitea/server-under-test.ts'
import {
  KUSTOMIZATION,
  KUSTOMIZATION_PATH,
  liveFiles,
  PATCH,
  PATCH_PATH,
} from '#tests/support/live-overlay.ts'
import { openPromotionOn } from '#tests/support/promotion-on-host.ts'

const gitea = realGitea()
const github = realGitHub()

const HOSTS: readonly (readonly [string, () => Promise<GitHostFixture>])[] = [
  ['the embedded git host', () => openLocal()],
  ['GitHub', () => openGitHub()],
  ['Gitea', () => openFake(GITEA_1_26)],
  ...(gitea ? ([['a real Gitea', () => openGitea(gitea)]] as const) : []),
  ...(github ? ([['a real GitHub', () => openRealGitHub(github)]] as const) : []),
]

describe.each(HOSTS)('releases on %s', (_, open) => {
  test('are proposed, brought up to date, merged, and taken back', async () => {
    await using fixture = await open()
    const { host, repository } = fixture
    await using shop = await openPromotionOn(fixture, liveFiles(repository.owner))

    const first = value(await shop.promote('production', { image: { tag: '1.3' } }))
    expect(first).toMatchObject({ kind: 'release', proposed: { created: true } })
    const { number } = first.proposed?.pullRequest ?? { number: 0 }
    const branch = String(first.proposed?.branch)
    expect(await shop.textAt(branch, KUSTOMIZATION_PATH)).toBe(KUSTOMIZATION.replace('1.2', '1.3'))

    // Somebody changes the other file by hand.
    await shop.commit({ [PATCH_PATH]: PATCH.replace('2', '4') })
    const again = value(await shop.promote('production', { image: { tag: '1.4' } }))
    expect(again.proposed).toMatchObject({ created: false, updated: true, pullRequest: { number } })
    expect(again.change?.files.map(({ path }) => String(path))).toStrictEqual([KUSTOMIZATION_PATH])
    expect(value(await shop.state())).toMatchObject({
      pullRequests: [{ createdBy: { subject: 'platform', name: 'Platform' } }],
      environments: [{}, {}, { state: 'live', proposed: { overlay: { image: { tag: '1.4' } } } }],
    })

    await fixture.mergePullRequest(number)
    expect(value(await shop.state())).toMatchObject({
      pullRequests: [],
      environments: [
        {},
        {},
        { state: 'live', overlay: { image: { tag: '1.4' }, config: { replicas: 4 } } },
      ],
    })
    const back = value(await shop.promote('production', { image: { tag: '1.2' } }))
    expect(back.proposed).toMatchObject({ created: true, branch: `${branch}.2` })
    const pulls = value(await host.findPullRequests(repository, { state: 'open' }))
    expect(pulls).toHaveLength(1)
  })
})

// Commits of one engine, which the contract of the content has.
test.each(HOSTS.slice(0, 1))(
  'a release takes the place of its branch on a moved file, on %s',
  async (_, open) => {
    await using fixture = await open()
    await using shop = await openPromotionOn(fixture, liveFiles(fixture.repository.owner))
    const first = value(await shop.promote('production', { image: { tag: '1.3' } }))
    const { number } = first.proposed?.pullRequest ?? { number: 0 }
    await shop.commit({ [PATCH_PATH]: PATCH.replace('2', '4') })
    const again = value(await shop.promote('production', { replicas: 5 }))
    expect(again).toMatchObject({
      warnings: [],
      proposed: { updated: true, pullRequest: { number } },
    })
    await fixture.mergePullRequest(number)
    expect(value(await shop.state())).toMatchObject({
      pullRequests: [],
      environments: [{}, {}, { overlay: { image: { tag: '1.3' }, config: { replicas: 5 } } }],
    })
  },
)

test('a release that another replica proposes, and somebody merges, meanwhile is decided anew', async () => {
  await using fixture = await openLocal()
  const { repository } = fixture
  await using other = await openPromotionOn(fixture, liveFiles())
  const host = { ...fixture.host }
  await using shop = await openPromotionOn({ host, repository }, { note: '' })
  host.commit = async (...args) => {
    host.commit = (...again) => fixture.host.commit(...again)
    value(await other.promote('production', { image: { tag: '1.3' } }))
    await fixture.mergePullRequest(1)
    return fixture.host.commit(...args)
  }
  value(await shop.promote('production', { image: { tag: '1.4' } }))
  const pulls = value(await host.findPullRequests(repository, { state: 'open' }))
  expect(pulls).toMatchObject([{ number: 2, mergeable: 'clean' }])
})
