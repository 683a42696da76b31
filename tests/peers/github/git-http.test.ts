import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { attempt, git } from '#tests/adapters/hosts/open-local.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { addAccount } from './calls/accounts.ts'
import { addRepository, renameRepository } from './calls/repositories.ts'
import type { GitHubOptions } from './github.ts'
import { openTestGitHub, REPOSITORY, text } from './open.ts'
import { EVERY_RIGHT, type Credential } from './state.ts'

const TOKEN = 'ghp_test'

/** The fake with a clone of its repository. */
async function open(credential: Partial<Credential> = {}, options: GitHubOptions = {}) {
  const opened = await openTestGitHub(options, credential)
  const { github, account } = opened
  const folder = await mkdtemp(join(tmpdir(), 'portico-github-client-'))
  github.addCredential('ghp_all', { account })
  const urlFor = (secret: string, path = 'acme/gitops.git') =>
    `${github.gitUrl.replace('://', `://x-access-token:${secret}@`)}/${path}`
  const work = join(folder, 'work')
  await git(folder, ['clone', '--quiet', urlFor('ghp_all'), work])
  return {
    ...opened,
    folder,
    work,
    urlFor,
    /** Runs git in the clone. Resolves to `done`, or to its complaint. */
    attempt: (...args: readonly string[]) => attempt(work, ...args),
    git: (...args: readonly string[]) => git(work, args),
    commit: async (file: string) => {
      await Bun.write(join(work, file), file)
      await git(work, ['add', '.'])
      await git(work, ['commit', '--quiet', '-m', file])
      return (await git(work, ['rev-parse', 'HEAD'])).trim()
    },
    push: (reference: string, ...options: readonly string[]) =>
      attempt(work, 'push', ...options, urlFor(TOKEN), `HEAD:${reference}`),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
      await opened[Symbol.asyncDispose]()
    },
  }
}

describe('git reads from the fake GitHub', () => {
  test('a clone, a listing and a single commit, by protocol v2', async () => {
    await using at = await open()
    expect(await Bun.file(join(at.work, 'a/b/c.txt')).text()).toBe('c\n')
    const main = await at.main()
    const url = at.urlFor(TOKEN, 'acme/gitops')
    expect(await at.git('ls-remote', url, 'refs/heads/*')).toBe(`${main}\trefs/heads/main\n`)
    const bytes = [{ path: 'x', bytes: text('x') }]
    const unseen = await commitFiles(at.repository, 'topic', bytes)
    await at.repository.git.updateReference('refs/heads/topic', null)
    await at.git('fetch', '--quiet', '--depth=1', url, unseen)
    expect(await at.git('show', `${unseen}:x`)).toBe('x')
    at.github.gitArrivals.splice(0)
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString('base64')
    const header = ['-c', `http.extraHeader=Authorization: Basic ${basic}`]
    const plainUrl = `${at.github.gitUrl}/acme/gitops`
    await at.git('-c', 'protocol.version=2', ...header, 'ls-remote', plainUrl)
    expect(at.github.gitArrivals.map(({ name, method }) => [name, method])).toStrictEqual([
      ['git-advertise', 'GET'],
      ['git-upload-pack', 'POST'],
    ])
    expect(at.github.arrivals.some(({ path }) => path.includes('info/refs'))).toBe(false)
    const listing = await fetch(`${plainUrl}/git-upload-pack`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-encoding': 'gzip',
        'git-protocol': 'version=2',
      },
      body: Bun.gzipSync('0014command=ls-refs\n00010000'),
    })
    expect(await listing.text()).toContain(`${main} refs/heads/main\n`)
  })

  test('the head of a pull request, which follows its branch', async () => {
    await using at = await open()
    await at.git('checkout', '--quiet', '-b', 'topic')
    await at.commit('one')
    expect(await at.push('refs/heads/topic')).toBe('done')
    const proposed = { title: 't', head: 'topic', base: 'main' }
    expect((await at.ask('POST', `${REPOSITORY}/pulls`, proposed)).status).toBe(201)
    const head = await at.commit('two')
    expect(await at.push('refs/heads/topic')).toBe('done')
    const read = async () =>
      (await at.git('ls-remote', at.urlFor(TOKEN), 'refs/pull/1/head')).slice(0, 40)
    expect(await read()).toBe(head)
    expect((await at.ask('GET', `${REPOSITORY}/pulls/1`)).at('head.sha')).toBe(head)
    const main = await at.main()
    const forced = ['push', '--force', at.urlFor(TOKEN), `${main}:refs/heads/topic`]
    expect(await at.attempt(...forced)).toBe('done')
    expect(await read()).toBe(main)
    expect(await at.push('refs/pull/1/head')).toContain('(deny updating a hidden ref)')
    expect(await at.attempt('push', at.urlFor(TOKEN), ':refs/heads/topic')).toBe('done')
    expect((await at.ask('GET', `${REPOSITORY}/pulls/1`)).at('state')).toBe('closed')
    expect(await read()).toBe(main)
  })

  test('by Bearer, and a public repository without credentials', async () => {
    await using at = await open()
    const url = `${at.github.gitUrl}/acme/gitops.git`
    const bearer = `http.extraHeader=Authorization: Bearer ${TOKEN}`
    expect(await at.git('-c', bearer, 'ls-remote', url)).toContain('refs/heads/main')
    expect(at.github.gitArrivals.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`)
    expect(await at.attempt('ls-remote', url)).toContain('could not read Username')
    at.repository.visibility = 'public'
    expect(await at.attempt('ls-remote', url)).toBe('done')
    expect(await at.attempt('push', url, 'HEAD:refs/heads/x')).toContain('could not read Username')
  })
})

describe('git writes to the fake GitHub', () => {
  test('with a lease, which a moved branch breaks', async () => {
    await using at = await open()
    const main = await at.main()
    const head = await at.commit('mine')
    const lease = (expected: string) => `--force-with-lease=refs/heads/main:${expected}`
    expect(await at.push('refs/heads/main', lease(main))).toBe('done')
    expect(await at.main()).toBe(head)
    expect(await at.push('refs/heads/main', lease(main), '--force')).toBe('done')
    await at.commit('more')
    expect(await at.push('refs/heads/main', lease(main))).toContain('(stale info)')
    expect(await at.push('refs/heads/new', '--force-with-lease=refs/heads/new:')).toBe('done')
    expect(await at.push('refs/heads/main/x')).toContain('[remote rejected]')
    await at.repository.git.git(['fsck', '--strict', '--no-dangling'])
  })

  test('and loses a race in the words of GitHub', async () => {
    await using at = await open()
    const main = await at.main()
    const gate = Promise.withResolvers<void>()
    at.github.fail({ on: 'git-receive-pack', fault: { kind: 'wait', until: gate.promise } })
    await at.commit('mine')
    const pushed = at.push('refs/heads/main')
    while (!at.github.gitArrivals.some(({ name }) => name === 'git-receive-pack'))
      await Bun.sleep(5)
    const other = await commitFiles(at.repository, 'main', [{ path: 'o', bytes: text('o') }])
    gate.resolve()
    const expected = `(cannot lock ref 'refs/heads/main': is at ${other} but expected ${main})`
    expect(await pushed).toContain(`[remote rejected] HEAD -> main ${expected}`)
  })

  test('into a repository without commits, and more than fits into one buffer', async () => {
    await using at = await open()
    const { state, directory } = at.github
    const made = { owner: addAccount(state, 'acme', 'Organization'), name: 'new', directory }
    const repository = await addRepository(state, { ...made, defaultBranch: 'main' })
    await Bun.write(join(at.work, 'large'), crypto.getRandomValues(new Uint8Array(65_536)))
    const head = await at.commit('small')
    const url = at.urlFor(TOKEN, 'acme/new.git')
    expect(await at.git('ls-remote', url)).toBe('')
    const chunked = ['-c', 'http.postBuffer=65536']
    expect(await at.attempt(...chunked, 'push', url, 'HEAD:refs/heads/main')).toBe('done')
    expect(await repository.git.reference('refs/heads/main')).toBe(head)
    const told = await at.ask('GET', '/repos/acme/new/git/ref/heads/main')
    expect(told.at('object.sha')).toBe(head)
    const copy = join(at.folder, 'copy')
    await git(at.folder, ['clone', '--quiet', url, copy])
    expect(await Bun.file(join(copy, 'large')).bytes()).toHaveLength(65_536)
  })
})

describe('the fake GitHub refuses', () => {
  test('unknown credentials, and ends of them', async () => {
    let now = 1_800_000_000_000
    await using at = await open({ expiresAt: now + 60_000 }, { now: () => now })
    const read = (secret: string) => at.attempt('ls-remote', at.urlFor(secret))
    expect(await read(TOKEN)).toBe('done')
    now += 60_000
    for (const secret of [TOKEN, 'ghp_unknown']) {
      const complaint = await read(secret)
      expect(complaint).toContain('remote: Invalid username or token.')
      expect(complaint).toContain('Authentication failed')
    }
    const response = await fetch(`${at.github.gitUrl}/acme/gitops.git/info/refs`)
    expect([response.status, response.headers.get('www-authenticate')]).toStrictEqual([
      401,
      'Basic realm="GitHub"',
    ])
  })

  test('a repository that is absent or unseen', async () => {
    await using at = await open({ repositories: ['acme/other'] })
    for (const path of ['acme/gitops.git', 'acme/absent.git', 'acme/absent']) {
      const complaint = await at.attempt('ls-remote', at.urlFor(TOKEN, path))
      expect(complaint).toContain('remote: Repository not found.')
      expect(complaint).toMatch(/repository '.*' not found/)
    }
  })

  test.each<readonly [string, Partial<Credential>, string]>([
    [
      'the right to write',
      { rights: { contents: 'read', metadata: 'read' } },
      'remote: Permission to acme/gitops.git denied to ada.',
    ],
    ['single sign-on', { blockedBy: 'sso' }, "remote: The `acme' organization has enabled"],
    ['the allow list', { blockedBy: 'ip_allow_list' }, 'has an IP allow list enabled'],
  ])('a push without %s by 403', async (_, credential, message) => {
    await using at = await open(credential)
    const complaint = await at.push('refs/heads/x')
    expect(complaint).toContain(message)
    expect(complaint).toContain('returned error: 403')
  })

  test('a reader without contents, and a push to an archive', async () => {
    await using at = await open({ rights: { metadata: 'read' } })
    const read = (secret: string) => at.attempt('ls-remote', at.urlFor(secret))
    expect(await read(TOKEN)).toContain('remote: Write access to repository not granted.')
    at.repository.archived = true
    expect(await read('ghp_all')).toBe('done')
    const complaint = await at.attempt('push', at.urlFor('ghp_all'), 'HEAD:refs/heads/x')
    expect(complaint).toContain('remote: This repository was archived so it is read-only.')
    expect(complaint).toContain('returned error: 403')
  })

  test.each<readonly [Credential['kind'], string]>([
    [
      'installation',
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yaml` without `workflows` permission',
    ],
    [
      'personal',
      'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yaml` without `workflow` scope',
    ],
  ])('a workflow of a credential without the right: %s', async (kind, reason) => {
    const { workflows: _, ...rights } = EVERY_RIGHT
    await using at = await open({ kind, rights })
    await at.commit('.github/other.yaml')
    expect(await at.push('refs/heads/main')).toBe('done')
    await at.commit('.github/workflows/ci.yaml')
    await at.commit('later')
    const complaint = await at.push('refs/heads/topic')
    expect(complaint).toContain(`! [remote rejected] HEAD -> topic (${reason})`)
    expect(await at.repository.git.reference('refs/heads/topic')).toBeNull()
    expect(await at.attempt('push', at.urlFor('ghp_all'), 'HEAD:refs/heads/main')).toBe('done')
    await at.commit('after')
    expect(await at.push('refs/heads/topic')).toBe('done')
  })

  test('a protected branch, and no other one of the same push', async () => {
    await using at = await open()
    const reasons = ['Changes must be made through a pull request.']
    at.repository.protections.set('main', { by: 'branch protection', reasons })
    at.repository.protections.set('ruled', { by: 'rules', reasons })
    await at.commit('x')
    const to = ['HEAD:refs/heads/main', 'HEAD:refs/heads/ruled', 'HEAD:refs/heads/free']
    const complaint = await at.attempt('push', at.urlFor(TOKEN), ...to)
    expect(complaint).toMatch(
      /remote: error: GH006: Protected branch update failed for refs\/heads\/main\. *\nremote: *\nremote: - Changes must be/,
    )
    expect(complaint).toContain('HEAD -> main (protected branch hook declined)')
    expect(complaint).toMatch(
      /remote: error: GH013: Repository rule violations found for refs\/heads\/ruled\./,
    )
    expect(complaint).toContain('HEAD -> ruled (push declined due to repository rule violations)')
    expect(complaint).toContain('HEAD -> free')
    const { git: bare } = at.repository
    expect((await bare.references('refs/heads/')).map(([name]) => name)).toStrictEqual([
      'refs/heads/free',
      'refs/heads/main',
    ])
  })

  test('a former name by a redirect, which git follows', async () => {
    await using at = await open()
    renameRepository(at.github.state, at.repository, 'store')
    const response = await fetch(`${at.urlFor(TOKEN)}/info/refs?service=git-upload-pack`, {
      redirect: 'manual',
    })
    expect([response.status, response.headers.get('location')]).toStrictEqual([
      301,
      `${at.github.gitUrl}/acme/store.git/info/refs?service=git-upload-pack`,
    ])
    expect(await at.attempt('ls-remote', at.urlFor(TOKEN))).toBe('done')
    const stays = ['-c', 'http.followRedirects=false']
    expect(await at.attempt(...stays, 'ls-remote', at.urlFor(TOKEN))).toContain('error: 301')
  })
})

describe('the fake GitHub fails requests of git', () => {
  test('before their effect, after it, or with an answer', async () => {
    await using at = await open()
    const { github, repository } = at
    await at.commit('x')
    const exists = async (name: string) =>
      (await repository.git.reference(`refs/heads/${name}`)) !== null
    const push = async (name: string) => [
      (await at.push(`refs/heads/${name}`)) === 'done',
      await exists(name),
    ]
    const on = 'git-receive-pack'
    github.fail({ on, fault: { kind: 'reset' } })
    expect(await push('a')).toStrictEqual([false, false])
    github.fail({ on, fault: { kind: 'reset', after: true } })
    expect(await push('b')).toStrictEqual([false, true])
    github.fail({ on, fault: { kind: 'answer', status: 502, body: '<html>', after: true } })
    expect(await push('c')).toStrictEqual([false, true])
    github.fail({ on, fault: { kind: 'cut', bytes: 20 } })
    expect(await push('d')).toStrictEqual([false, true])
    github.fail({ on: 'git-advertise', fault: { kind: 'answer', status: 503, body: 'busy' } })
    expect(await at.push('refs/heads/e')).toContain('returned error: 503')
    github.fail({ on: 'git-upload-pack', fault: { kind: 'answer', status: 500, body: {} } })
    expect(await at.attempt('ls-remote', at.urlFor(TOKEN))).toContain('500')
    expect(await push('f')).toStrictEqual([true, true])
  })

  test('late', async () => {
    await using at = await open()
    at.github.latencyMs = 50
    const begun = performance.now()
    await at.git('ls-remote', at.urlFor(TOKEN))
    expect(performance.now() - begun).toBeGreaterThan(95)
  })
})
