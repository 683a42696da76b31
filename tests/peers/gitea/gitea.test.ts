import { expect, test } from 'bun:test'
import { FORGEJO_11 } from './flavour.ts'
import type { Gitea } from './gitea.ts'
import { ask, openFakeServer, openRepository } from './server-under-test.ts'

const SEED = { 'README.md': 'hello\n', 'catalog/a.yaml': 'a: 1\n' }

async function open(...of: Parameters<typeof openFakeServer>) {
  const server = await openFakeServer(...of)
  const at = await openRepository(server, SEED)
  return {
    at,
    server,
    gitea: server.gitea,
    async [Symbol.asyncDispose]() {
      server.gitea.mend()
      await at[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
/** How a request ends for a client. */
const outcome = async (request: () => Promise<{ readonly status: number }>) =>
  await request().then(
    ({ status }) => status,
    () => 'broken',
  )
/** What a test provoked on purpose. */
const deviationsOf = (gitea: Gitea) => gitea.deviations.splice(0)

test('the first push is noticed late: meanwhile the repository is empty, and a branch is a panic', async () => {
  await using server = await openFakeServer()
  server.gitea.state.queueLag = 6
  await using at = await openRepository(server, null)
  await at.git(['init', '--quiet', '--bare'])
  const tree = (await at.git(['mktree'])).trim()
  const commit = (await at.git(['commit-tree', tree, '-m', 'First'])).trim()
  await at.git(['push', '--quiet', at.remote, `${commit}:refs/heads/main`])
  expect((await at.ask('GET', '')).at('empty')).toBe(true)
  expect((await at.ask('GET', '/branches')).text).toBe('null')
  expect((await at.ask('GET', '/branches/main')).text).toMatch(/^PANIC/)
  expect((await at.ask('GET', '/pulls')).status).toBe(404)
  expect((await at.ask('GET', '/git/refs/heads/main')).at('object.sha')).toStrictEqual([commit])
  expect((await at.ask('GET', `/git/trees/${commit}`)).status).toBe(200)
  expect((await at.ask('GET', '')).at('empty')).toBe(false)
  expect((await at.ask('GET', '/branches/main')).at('commit.id')).toBe(commit)
})

test('a pull request that is not checked yet cannot be merged', async () => {
  await using opened = await open()
  const { at, gitea } = opened
  gitea.state.checkLag = 2
  await at.write('topic', { t: 't' }, 'main')
  const number = await at.propose('topic')
  const merge = async () => (await at.ask('POST', `/pulls/${number}/merge`, { do: 'merge' })).status
  const mergeable = async () => (await at.ask('GET', `/pulls/${number}`)).at('mergeable')
  expect([await merge(), await mergeable(), await mergeable()]).toStrictEqual([405, false, false])
  expect([await mergeable(), await merge()]).toStrictEqual([true, 200])
})

test('Forgejo gives the whole archive, moves no branch and filters no pull requests by base', async () => {
  await using opened = await open(FORGEJO_11)
  const { at } = opened
  const [whole, part] = [
    await at.ask('GET', '/archive/main.tar.gz'),
    await at.ask('GET', '/archive/main.tar.gz?path=catalog'),
  ]
  expect(part.text).toBe(whole.text)
  expect((await at.ask('PUT', '/branches/main', { new_commit_id: 'x' })).status).toBe(405)
  await at.write('topic', { t: 't' }, 'main')
  await at.propose('topic')
  expect((await at.ask('GET', '/pulls?base_branch=other')).at('length')).toBe(1)
  const raw = await at.ask('GET', '/raw/README.md')
  expect(raw.headers.get('x-forgejo-object-type')).toBe('file')
  expect((await at.askServer('GET', '/version')).at('version')).toMatch(/\+gitea-1\.22/)
})

test('what a token may do decides', async () => {
  await using opened = await open()
  const { at, gitea } = opened
  const account = gitea.state.addAccount('grace', 'person')
  const rights = { none: 'none', read: 'read', write: 'write' } as const
  for (const each of Object.values(rights)) {
    gitea.state.tokens.set(each, { account, rights: each, scope: 'all' })
  }
  gitea.state.tokens.set('scoped', { account, rights: 'admin', scope: 'read:repository' })
  const status = async (token: string, method: string, path: string, body?: object) =>
    (await at.ask(method, path, body, { token })).status
  expect(await status('none', 'GET', '')).toBe(404)
  expect(await status('read', 'GET', '')).toBe(200)
  expect(await status('read', 'GET', '/branch_protections')).toBe(403)
  expect(await status('write', 'PATCH', '', { description: 'x' })).toBe(403)
  expect(await status('scoped', 'GET', '/branches')).toBe(200)
  expect(await status('scoped', 'PATCH', '', { description: 'x' })).toBe(403)
  const remote = at.remote.replace(at.server.token, 'read')
  await at.git(['init', '--quiet', '--bare'])
  await at.git(['fetch', '--quiet', remote, 'main:main'])
  const tree = (await at.git(['rev-parse', 'main^{tree}'])).trim()
  const commit = (await at.git(['commit-tree', tree, '-p', 'main', '-m', 'x'])).trim()
  const pushed = at.git(['push', remote, `${commit}:refs/heads/x`])
  expect(await pushed.catch(String)).toMatch(/User permission denied for writing/)
})

test('a fault comes at the call that a rule names', async () => {
  await using opened = await open()
  const { at, gitea } = opened
  const get = () => outcome(() => at.ask('GET', '/topics'))
  const put = (topic: string) => outcome(() => at.ask('PUT', '/topics', { topics: [topic] }))
  const topics = async () => (await at.ask('GET', '')).at('topics')
  gitea.fail({ on: 'repoListTopics', nth: 2, fault: { kind: 'cut', bytes: 5 } })
  expect([await get(), await get(), await get()]).toStrictEqual([200, 'broken', 200])

  const html = { kind: 'answer', status: 502, body: '<html>' } as const
  gitea.fail({ on: 'repoUpdateTopics', fault: html })
  expect([await put('before'), await topics()]).toStrictEqual([502, []])
  gitea.fail({ on: 'any write', fault: { ...html, after: true } })
  expect([await put('after'), await topics()]).toStrictEqual([502, ['after']])
  gitea.fail({ on: 'repoUpdateTopics', fault: { kind: 'reset' } })
  expect([await put('reset'), await topics()]).toStrictEqual(['broken', ['after']])
  gitea.fail({ on: 'repoUpdateTopics', fault: { kind: 'reset', after: true } })
  expect([await put('lost'), await topics()]).toStrictEqual(['broken', ['lost']])

  gitea.fail({ on: 'any', times: 2, fault: { kind: 'answer', status: 429, body: {} } })
  expect([await get(), await get(), await get()]).toStrictEqual([429, 429, 200])
  gitea.fail({ on: 'repoListTopics', fault: { kind: 'length', by: 10 } })
  expect(await get()).toBe('broken')
  const gate = Promise.withResolvers<void>()
  gitea.fail({ on: 'repoListTopics', fault: { kind: 'wait', until: gate.promise } })
  const waiting = get()
  gate.resolve()
  expect(await waiting).toBe(200)
})

test('a request or an answer that Gitea does not describe is a deviation', async () => {
  await using opened = await open()
  const { at, gitea } = opened
  await at.ask('GET', '/pulls?base=main')
  await at.ask('PATCH', '', { descripton: 'x' })
  await ask(at.server, 'GET', '/nothing/of/that/kind')
  gitea.fail({ on: 'repoListTopics', fault: { kind: 'alter', alter: () => ({ other: 1 }) } })
  await at.ask('GET', '/topics')
  expect(deviationsOf(gitea)).toStrictEqual([
    'repoListPullRequests: no parameter base',
    expect.stringContaining('"additionalProperty":"descripton"'),
    'Gitea describes no GET /api/v1/nothing/of/that/kind',
  ])
})
