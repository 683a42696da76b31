import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import { RepositoryPart } from '#src/lib/names.ts'
import { repositoryId } from '#tests/contracts/git-host.ts'
import { GITEA_1_26 } from '#tests/peers/gitea/flavour.ts'
import { ask, openFakeServer } from '#tests/peers/gitea/server-under-test.ts'
import { type GiteaFixture, openFake, openGitea, optionsFor } from './open-gitea.ts'

type Server = Awaited<ReturnType<typeof openFakeServer>>

describe('the check of rights at Gitea', () => {
  let server: Server
  let fixture: GiteaFixture
  beforeAll(async () => {
    server = await openFakeServer(GITEA_1_26)
    fixture = await openGitea(server)
  })
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })

  const check = async (gitops = fixture.repository) => {
    const { organisation } = server
    const findings = await fixture.host.check({
      gitops,
      owners: [RepositoryPart.of(organisation)],
      // Nobody needs templates: that there are none is said where they are read.
      templates: repositoryId(organisation, 'templates'),
      cli: null,
    })
    return findings.map(({ ok, text }) => `${ok ? '+' : '-'} ${text}`)
  }
  const nameOf = () => `${server.organisation}/${fixture.repository.name}`

  test('finds every right, and leaves nothing behind', async () => {
    const state = async () => {
      const path = `/repos/${nameOf()}`
      const branches = await ask(server, 'GET', `${path}/branches`)
      const pulls = await ask(server, 'GET', `${path}/pulls?state=all`)
      return [branches.text, pulls.text]
    }
    const before = await state()
    expect(await check()).toStrictEqual([
      `+ Gitea allows repository: write on ${nameOf()}.`,
      `+ Gitea allows pull requests: write on ${nameOf()}.`,
      `+ Gitea allows organization: create repositories in ${server.organisation}.`,
      `+ Open to Portico: the branch main of ${nameOf()}. Confirmations are committed to it.`,
    ])
    expect(await state()).toStrictEqual(before)
  })

  test('a protected default branch is no mistake', async () => {
    const path = `/repos/${nameOf()}/branch_protections`
    await ask(server, 'POST', path, { rule_name: 'main', enable_push: false })
    expect((await check()).at(-1)).toBe(
      `+ Protected: the branch main of ${nameOf()}. Where its rules refuse a commit of Portico, confirmations open a pull request.`,
    )
    await ask(server, 'DELETE', `${path}/main`)
  })

  test('a repository that is missing is named once', async () => {
    const findings = await check(repositoryId(server.organisation, 'missing'))
    expect(findings.filter((text) => text.startsWith('-'))).toStrictEqual([
      `- GITOPS_REPOSITORY: Gitea has no repository ${server.organisation}/missing, or does not show it to these credentials.`,
    ])
  })
})

test('a token for reading lacks each right to write', async () => {
  await using fixture = await openFake()
  const { server, gitea, repository } = fixture
  const token = 'b'.repeat(40)
  const account = gitea.state.addAccount('reader', 'person')
  gitea.state.tokens.set(token, { account, rights: 'read', scope: 'read:repository' })
  const host = createGitea(optionsFor({ ...server, token }))
  const name = `${repository.owner}/${repository.name}`
  const findings = await host.check({
    gitops: repository,
    templates: repository,
    cli: null,
    owners: [repository.owner],
  })
  // No finding says that confirmations are committed to the default branch.
  expect(findings).toStrictEqual([
    {
      ok: false,
      text: `Gitea does not allow repository: write on ${name}: the account or its token has no such right.`,
    },
    { ok: false, text: expect.stringMatching(/^Gitea does not allow pull requests: write on /) },
    { ok: false, text: expect.stringMatching(/^Gitea does not allow organization: create rep/) },
  ])
})
