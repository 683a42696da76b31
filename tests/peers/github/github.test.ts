import { describe, expect, test } from 'bun:test'
import { exportPKCS8, exportSPKI, generateKeyPair, importPKCS8, SignJWT } from 'jose'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { addAccount } from './calls/accounts.ts'
import { renameRepository } from './calls/repositories.ts'
import { openTestGitHub, REPOSITORY, text, type Told } from './open.ts'
import { close, mergePullRequest } from './pull-requests.ts'
import { publishRelease } from './releases.ts'

const FLAVOURS = ['api.github.com', 'ghes-3.17', 'ghes-3.19'] as const

describe.each(FLAVOURS)('the fake GitHub is as described for %s', (flavour) => {
  test('repositories, their first commit, topics, rename', async () => {
    await using opened = await openTestGitHub({ flavour })
    const { ask, github } = opened
    github.state.teams.add('acme/payments')
    const create = { name: 'shop', description: 'd', visibility: 'private', auto_init: true }
    const made = await ask('POST', '/orgs/acme/repos', create)
    expect([made.status, made.at('default_branch')]).toStrictEqual([201, 'main'])
    const again = await ask('POST', '/orgs/acme/repos', create)
    expect(again.at('errors.0.message')).toBe('name already exists on this account')
    const reference = () => ask('GET', '/repos/acme/shop/git/ref/heads/main')
    expect((await reference()).at('message')).toBe('Git Repository is empty.')
    expect((await reference()).status).toBe(200)
    expect((await ask('POST', '/user/repos', { name: 'mine', private: true })).status).toBe(201)
    const topics = await ask('PUT', '/repos/acme/shop/topics', { names: ['portico'] })
    expect(topics.at('names')).toStrictEqual(['portico'])
    const team = '/orgs/acme/teams/payments/repos/acme/shop'
    expect((await ask('PUT', team, { permission: 'push' })).status).toBe(204)
    const tab = await ask('PATCH', '/repos/acme/shop', { description: 'a\tb' })
    expect(tab.at('errors.0.message')).toBe('description control characters are not allowed')
    const changed = await ask('PATCH', '/repos/acme/shop', { homepage: 'https://x.test/#1' })
    expect([changed.at('homepage'), changed.at('topics')]).toStrictEqual([
      'https://x.test/#1',
      ['portico'],
    ])
    const shop = github.state.repositories.get('acme/shop')
    if (shop === undefined) throw new Error('no repository')
    renameRepository(github.state, shop, 'store')
    const moved = await ask('GET', '/repos/acme/shop/git/ref/heads/main')
    expect(moved.status).toBe(301)
    const followed = await ask(
      'GET',
      (moved.headers.get('location') ?? '').slice(github.apiUrl.length),
    )
    expect(followed.at('ref')).toBe('refs/heads/main')
    expect((await ask('PUT', '/repos/acme/shop/topics', { names: [] })).status).toBe(307)
  })

  test('pull requests, labels, reviewers, merges', async () => {
    await using opened = await openTestGitHub({ flavour })
    const { ask, github, repository, account } = opened
    addAccount(github.state, 'grace', 'User')
    github.state.teams.add('acme/payments')
    const main = await opened.main()
    for (const name of ['one', 'two', 'three']) {
      await repository.git.updateReference(`refs/heads/${name}`, main)
      await commitFiles(repository, name, [{ path: name, bytes: text(name) }])
    }
    const create = (head: string, base = 'main') =>
      ask('POST', `${REPOSITORY}/pulls`, { title: head, head, base, body: 'b' })
    expect((await create('one')).status).toBe(201)
    expect((await create('two')).status).toBe(201)
    expect((await create('three')).status).toBe(201)
    const said = async (told: Promise<Told>, member = '') =>
      (await told).at(member === '' ? 'errors.0' : `errors.0.${member}`)
    expect(await said(create('one'), 'message')).toBe('A pull request already exists for acme:one.')
    expect(await said(create('main'), 'message')).toBe('No commits between main and main')
    expect(await said(create('absent'))).toStrictEqual({
      resource: 'PullRequest',
      field: 'head',
      code: 'invalid',
    })
    expect(await said(create('one', 'absent'), 'field')).toBe('base')
    const mergeable = async () => (await ask('GET', `${REPOSITORY}/pulls/1`)).at('mergeable')
    expect([await mergeable(), await mergeable()]).toStrictEqual([null, true])
    const page = await ask('GET', `${REPOSITORY}/pulls?state=all&per_page=2`)
    expect(page.at('number')).toStrictEqual([3, 2])
    expect(page.headers.get('link')).toContain('page=2>; rel="next"')
    const byHead = await ask('GET', `${REPOSITORY}/pulls?state=open&head=acme:two&base=main`)
    expect(byHead.at('length')).toBe(1)
    const [closed] = repository.pulls.values()
    if (closed !== undefined) close(github.state, closed)
    expect((await ask('GET', `${REPOSITORY}/pulls?state=closed`)).at('number')).toStrictEqual([1])
    if (closed !== undefined) closed.state = 'open'
    const labels = await ask('POST', `${REPOSITORY}/issues/1/labels`, { labels: ['promotion'] })
    expect(labels.at('0.name')).toBe('promotion')
    const reviewers = { reviewers: ['grace'], team_reviewers: ['payments'] }
    const requested = await ask('POST', `${REPOSITORY}/pulls/1/requested_reviewers`, reviewers)
    expect([requested.status, requested.at('requested_teams.0.slug')]).toStrictEqual([
      201,
      'payments',
    ])
    for (const [number, method] of [
      [1, 'merge'],
      [2, 'squash'],
      [3, 'rebase'],
    ] as const) {
      const pull = repository.pulls.get(number)
      if (pull === undefined) throw new Error(`no pull request ${number}`)
      await mergePullRequest(github.state, repository, pull, account, method)
      const merged = await ask('GET', `${REPOSITORY}/pulls/${number}`)
      expect([merged.at('state'), merged.at('merged')]).toStrictEqual(['closed', true])
      expect(merged.at('merge_commit_sha')).toBe(await opened.main())
    }
    await repository.git.git(['fsck', '--strict', '--no-dangling'])
  })

  test('archives and assets come from elsewhere, without credentials', async () => {
    await using opened = await openTestGitHub({ flavour })
    const { ask, github, repository, account } = opened
    const main = await opened.main()
    const redirect = await ask('GET', `${REPOSITORY}/tarball/${main}`)
    const location = redirect.headers.get('location') ?? ''
    expect([redirect.status, new URL(location).origin]).toStrictEqual([302, github.storageOrigin])
    const files = await new Bun.Archive(await (await fetch(location)).bytes()).files()
    const prefix = `acme-gitops-${main.slice(0, 7)}/`
    expect(files.has(`${prefix}a/b/c.txt`)).toBe(true)
    expect(files.has(`${prefix}secret.txt`)).toBe(false)

    const tool = { filename: 'tool', bytes: text('0123456789') }
    const release = { tag: 'v1', draft: false, prerelease: false, assets: [tool] }
    const [asset] = publishRelease(github.state, repository, account, release).assets
    publishRelease(github.state, repository, account, { ...release, tag: 'v2', draft: true })
    expect((await ask('GET', `${REPOSITORY}/releases`)).at('draft')).toStrictEqual([true, false])
    const octets = { accept: 'application/octet-stream' }
    const to = await ask('GET', `${REPOSITORY}/releases/assets/${asset?.id}`, undefined, octets)
    const link = to.headers.get('location') ?? ''
    expect(await (await fetch(link)).text()).toBe('0123456789')
    const part = await fetch(link, { headers: { range: 'bytes=3-5' } })
    expect([part.status, await part.text()]).toStrictEqual([206, '345'])

    await fetch(link, { headers: { authorization: 'Bearer x' } })
    expect(github.deviations.splice(0)).toStrictEqual(['storage was sent authorization'])
  })

  test('an App signs in with its key, and its tokens end', async () => {
    let now = 1_800_000_000_000
    await using opened = await openTestGitHub({ flavour, now: () => now })
    const { github, ask, account } = opened
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    github.state.installations.set(9, {
      id: 9,
      appId: 4,
      clientId: 'Iv23test',
      publicKey: await exportSPKI(publicKey),
      account,
      rights: { contents: 'read', metadata: 'read' },
      repositories: 'all',
      suspended: false,
    })
    const sign = async (seconds: number) =>
      await new SignJWT({ iss: '4', iat: now / 1000 - 30, exp: now / 1000 + seconds })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(await importPKCS8(await exportPKCS8(privateKey), 'RS256'))
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    const app = async (method: string, path: string, seconds = 60) =>
      await ask(method, path, undefined, as(await sign(seconds)))
    expect((await app('GET', '/app/installations/9')).at('permissions.contents')).toBe('read')
    expect((await app('GET', '/app/installations/9', 3600)).status).toBe(401)
    expect((await app('GET', '/app/installations/8')).status).toBe(404)
    const token = String((await app('POST', '/app/installations/9/access_tokens')).at('token'))
    expect((await ask('GET', REPOSITORY, undefined, as(token))).status).toBe(200)
    const list = await ask('GET', '/installation/repositories', undefined, as(token))
    expect(list.at('total_count')).toBe(1)
    const write = { content: 'x' }
    const denied = await ask('POST', `${REPOSITORY}/git/blobs`, write, as(token))
    expect(denied.at('message')).toBe('Resource not accessible by integration')
    expect(denied.headers.get('x-accepted-github-permissions')).toBe('contents=write')
    now += 3_600_000
    expect((await ask('GET', REPOSITORY, undefined, as(token))).status).toBe(401)
  })

  test('the service, people, branches', async () => {
    await using opened = await openTestGitHub({ flavour })
    const { ask, repository } = opened
    expect((await ask('GET', '/meta')).status).toBe(200)
    expect((await ask('GET', '/user')).at('login')).toBe('ada')
    expect((await ask('GET', '/users/acme')).at('type')).toBe('Organization')
    expect((await ask('GET', '/users/nobody')).status).toBe(404)
    expect((await ask('GET', '/rate_limit')).status).toBe(flavour === 'api.github.com' ? 200 : 404)
    repository.protections.set('main', {
      by: 'rules',
      reasons: ['Changes must be made through a pull request.'],
    })
    expect((await ask('GET', `${REPOSITORY}/branches/main`)).at('protected')).toBe(true)
    expect((await ask('GET', `${REPOSITORY}/rules/branches/main`)).at('0.type')).toBe(
      'pull_request',
    )
  })
})
