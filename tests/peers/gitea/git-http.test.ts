import { afterAll, describe, expect, test } from 'bun:test'
import {
  type FakeServer,
  openFakeServer,
  openRepository,
  type TestRepository,
} from './server-under-test.ts'

const SEED = { 'README.md': 'hello\n' }

let server: FakeServer | undefined
afterAll(() => server?.[Symbol.asyncDispose]())

/** A repository, with a client that has fetched its branch `main`. */
async function open() {
  server ??= await openFakeServer()
  const at = await openRepository(server, SEED)
  await at.git(['init', '--quiet', '--bare'])
  await at.git(['fetch', '--quiet', at.remote, '+main:main'])
  return { at, gitea: server.gitea, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

/** Runs git. Resolves to `done`, or to its complaint. */
const attempt = (at: TestRepository, ...args: readonly string[]) =>
  at.git(args).then(
    () => 'done',
    (error: unknown) => String(error),
  )

async function commitOn(at: TestRepository, parent: string): Promise<string> {
  const tree = (await at.git(['rev-parse', `${parent}^{tree}`])).trim()
  return (await at.git(['commit-tree', tree, '-p', parent, '-m', 'Push'])).trim()
}

describe('git and the fake Gitea', () => {
  test('a listing by protocol v2, and a single commit', async () => {
    await using opened = await open()
    const { at, gitea } = opened
    const main = (await at.git(['rev-parse', 'main'])).trim()
    expect(await at.git(['ls-remote', at.remote, 'refs/heads/*'])).toBe(
      `${main}\trefs/heads/main\n`,
    )
    const topic = await at.write('topic', { t: 't' }, 'main')
    const calls = gitea.arrivals.length
    gitea.gitArrivals.splice(0)
    await at.git(['fetch', '--quiet', '--depth=1', at.remote, topic])
    expect(await at.git(['show', `${topic}:t`])).toBe('t')
    expect(gitea.gitArrivals.at(-1)).toMatchObject({
      name: 'git-upload-pack',
      method: 'POST',
      service: 'git-upload-pack',
    })
    expect(gitea.arrivals.length).toBe(calls)
  })

  test('a push with a lease, after which pull requests follow their branches', async () => {
    await using opened = await open()
    const { at } = opened
    const topic = await at.write('topic', { t: 't' }, 'main')
    const number = await at.propose('topic')
    await at.git(['fetch', '--quiet', at.remote, '+topic:topic'])
    const next = await commitOn(at, topic)
    const push = (lease: string, commit: string) =>
      attempt(at, 'push', `--force-with-lease=topic:${lease}`, at.remote, `${commit}:topic`)
    expect(await push(topic, next)).toBe('done')
    expect((await at.ask('GET', `/pulls/${number}`)).at('head.sha')).toBe(next)
    const head = await at.git(['ls-remote', at.remote, `refs/pull/${number}/head`])
    expect(head.slice(0, 40)).toBe(next)
    expect(await push(topic, await commitOn(at, next))).toContain('(stale info)')
  })

  test('refused credentials, and repositories that are absent', async () => {
    await using opened = await open()
    const { at } = opened
    const refused = at.remote.replace(at.server.token, 'refused')
    expect(await attempt(at, 'ls-remote', refused)).toContain('Authentication failed')
    const anonymous = at.remote.replace(/\/\/[^@]*@/, '//')
    expect(await attempt(at, 'ls-remote', anonymous)).toContain('could not read Username')
    const absent = at.remote.replace(at.name, 'absent')
    expect(await attempt(at, 'ls-remote', absent)).toContain('remote: Repository not found')
    const pushed = await attempt(at, 'push', absent, 'main:main')
    expect(pushed).toContain('remote: Push to create is not enabled for organizations.')
    await at.ask('PATCH', '', { name: `${at.name}-2` })
    expect(await attempt(at, 'ls-remote', at.remote)).toBe('done')
    await at.askServer('PATCH', `/repos/acme/${at.name}-2`, { name: at.name })
  })

  test('a push that fails before its effect, or after it', async () => {
    await using opened = await open()
    const { at, gitea } = opened
    const commit = await commitOn(at, 'main')
    const push = async (name: string) => {
      const isDone =
        (await attempt(at, 'push', at.remote, `${commit}:refs/heads/${name}`)) === 'done'
      const isThere = (await at.git(['ls-remote', at.remote, `refs/heads/${name}`])) !== ''
      return [isDone, isThere]
    }
    const on = 'git-receive-pack'
    gitea.fail({ on, fault: { kind: 'reset' } })
    expect(await push('a')).toStrictEqual([false, false])
    gitea.fail({ on, fault: { kind: 'reset', after: true } })
    expect(await push('b')).toStrictEqual([false, true])
    gitea.fail({ on, fault: { kind: 'answer', status: 502, body: '<html>' } })
    expect(await push('c')).toStrictEqual([false, false])
    const gate = Promise.withResolvers<void>()
    gitea.fail({ on, fault: { kind: 'wait', until: gate.promise } })
    const waiting = push('d')
    gate.resolve()
    expect(await waiting).toStrictEqual([true, true])
  })
})
