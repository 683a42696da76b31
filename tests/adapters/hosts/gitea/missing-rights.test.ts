import { afterAll, describe, expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import { RepositoryPart } from '#src/lib/names.ts'
import { type FakeServer, openFakeServer, realGitea } from '#tests/peers/gitea/server-under-test.ts'
import { type GiteaFixture, openFake, openGitea, optionsFor } from './open-gitea.ts'

const real = realGitea()
let fake: FakeServer | undefined
const servers = [
  ['the fake Gitea', async () => (fake ??= await openFakeServer())] as const,
  ...(real === undefined ? [] : [['a real Gitea', async () => real] as const]),
]
afterAll(() => fake?.[Symbol.asyncDispose]())

const usesOf = ({ repository }: Pick<GiteaFixture, 'repository'>, owner = repository.owner) => ({
  gitops: repository,
  templates: repository,
  cli: null,
  owners: [owner],
})

describe.each(servers)('%s', (_, start) => {
  test('has every right, and nothing is changed by the check', async () => {
    const server = await start()
    await using fixture = await openGitea(server)
    const { host, repository } = fixture
    const before = await host.head(repository)
    const findings = await host.check(usesOf(fixture))
    expect(findings.filter(({ ok }) => !ok)).toStrictEqual([])
    expect(findings.map(({ text }) => text)).toContain(
      `Gitea allows repository: write on ${repository.owner}/${repository.name}.`,
    )
    expect(await host.head(repository)).toStrictEqual(before)
    expect(await host.listBranches(repository, '')).toMatchObject({ value: ['main'] })
    expect(await host.findPullRequests(repository, {})).toStrictEqual({ ok: true, value: [] })
  })

  test('names an organisation that does not exist', async () => {
    const server = await start()
    await using fixture = await openGitea(server)
    const uses = usesOf(fixture, RepositoryPart.of('nobody-here'))
    const findings = await fixture.host.check(uses)
    const failed = findings.filter(({ ok }) => !ok).map(({ text }) => text)
    expect(failed).toStrictEqual([
      expect.stringMatching(
        /^Gitea does not allow organization: create repositories in nobody-here: /,
      ),
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
  const findings = await host.check(usesOf(fixture))
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
