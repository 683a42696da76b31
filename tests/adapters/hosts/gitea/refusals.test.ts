import { afterAll, describe, expect, test } from 'bun:test'
import { createGitea } from '#src/lib/adapters/hosts/gitea/index.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import type { RepositoryId } from '#src/lib/names.ts'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import {
  ask,
  type FakeServer,
  type GiteaServer,
  openFakeServer,
  realGitea,
} from '#tests/peers/gitea/server-under-test.ts'
import { openGitea, optionsFor } from './open-gitea.ts'

const real = realGitea()
let fake: FakeServer | undefined
const servers = [
  ['the fake Gitea', async () => (fake ??= await openFakeServer())] as const,
  ...(real === undefined ? [] : [['a real Gitea', async () => real] as const]),
]
afterAll(() => fake?.[Symbol.asyncDispose]())

const denied = (what: unknown) => ({ ok: false as const, error: { kind: 'git_denied', what } })
const pathOf = ({ owner, name }: Record<keyof RepositoryId, string>) => `/repos/${owner}/${name}`

async function commitTo(host: GitHost, repository: RepositoryId, to = MAIN) {
  const head = value(await host.head(repository))
  return host.commit(repository, {
    branch: to,
    from:
      to === MAIN
        ? { kind: 'advance', expected: head.commit }
        : { kind: 'create', parent: head.commit },
    changes: [write('x', 'x')],
    message: 'Change',
    author: AUTHOR,
  })
}
const propose = (host: GitHost, repository: RepositoryId) =>
  host.openPullRequest(repository, {
    head: branch('topic'),
    base: MAIN,
    title: 't',
    body: 'b',
    author: AUTHOR,
  })

describe.each(servers)('%s', (_, start) => {
  const open = async () => {
    const server = await start()
    return { server, fixture: await openGitea(server) }
  }
  const update = (
    server: GiteaServer,
    repository: Record<keyof RepositoryId, string>,
    facts: object,
  ) => ask(server, 'PATCH', pathOf(repository), facts)

  test('refuses commits to a protected branch, and takes them on others', async () => {
    const { server, fixture } = await open()
    await using _ = fixture
    const { host, repository } = fixture
    const rule = { rule_name: 'main', enable_push: false }
    await ask(server, 'POST', `${pathOf(repository)}/branch_protections`, rule)
    expect(await commitTo(host, repository)).toMatchObject(
      denied(`branch main of ${repository.owner}/${repository.name} is protected`),
    )
    expect((await commitTo(host, repository, branch('topic'))).ok).toBe(true)
  })

  test('refuses writes to an archived repository, and lets it be read', async () => {
    const { server, fixture } = await open()
    await using _ = fixture
    const { repository } = fixture
    value(await commitTo(fixture.host, repository, branch('topic')))
    await update(server, repository, { archived: true })
    const what = denied(`${repository.owner}/${repository.name} is archived`)
    // Twice: an adapter that has seen it before it was archived, and one that has not.
    for (const host of [fixture.host, createGitea(optionsFor(server))]) {
      expect((await host.head(repository)).ok).toBe(true)
      expect(await commitTo(host, repository)).toMatchObject(what)
      expect(await propose(host, repository)).toMatchObject(what)
    }
  })

  test('reads a renamed repository by its former name, and writes nothing there', async () => {
    const { server, fixture } = await open()
    await using _ = fixture
    const { repository } = fixture
    value(await commitTo(fixture.host, repository, branch('topic')))
    const name = `${repository.name}-2`
    await update(server, repository, { name })
    try {
      for (const host of [fixture.host, createGitea(optionsFor(server))]) {
        expect((await host.head(repository)).ok).toBe(true)
        const refusal = denied(expect.stringContaining(`${repository.name} was renamed`))
        expect(await commitTo(host, repository)).toMatchObject(refusal)
        expect(await propose(host, repository)).toMatchObject(refusal)
      }
    } finally {
      await update(server, { ...repository, name }, { name: repository.name })
    }
  })

  test('refuses a token that nobody has', async () => {
    const { server, fixture } = await open()
    await using _ = fixture
    const host = createGitea(optionsFor({ ...server, token: 'f'.repeat(40) }))
    const refused = denied('the credentials were refused')
    expect(await host.head(fixture.repository)).toMatchObject(refused)
  })
})

test('a token that may only read is refused writes, with the missing right', async () => {
  await using server = await openFakeServer()
  await using fixture = await openGitea(server)
  const { repository } = fixture
  const { state } = server.gitea
  const account = state.addAccount('reader', 'person')
  const token = 'a'.repeat(40)
  state.tokens.set(token, { account, rights: 'read', scope: 'all' })
  const host = createGitea(optionsFor({ ...server, token }))
  expect(await commitTo(host, repository)).toMatchObject(
    denied(`repository: write on ${repository.owner}/${repository.name}`),
  )
})

test('a token that is revoked between two calls is refused', async () => {
  await using server = await openFakeServer()
  await using fixture = await openGitea(server)
  const { host, repository } = fixture
  value(await host.head(repository))
  const [[text, token] = ['', undefined]] = [...server.gitea.state.tokens]
  if (token === undefined) throw new Error('no token')
  server.gitea.state.tokens.delete(text)
  expect(await host.head(repository)).toMatchObject(denied('the credentials were refused'))
  server.gitea.state.tokens.set(text, token)
  expect((await host.head(repository)).ok).toBe(true)
})
