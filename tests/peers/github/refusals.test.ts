import { describe, expect, test } from 'bun:test'
import { openTestGitHub, REPOSITORY } from './open.ts'
import { EVERY_RIGHT, type Credential, type Rights } from './state.ts'

describe('the fake GitHub', () => {
  test('notices requests that GitHub does not describe', async () => {
    await using opened = await openTestGitHub()
    const { ask, github } = opened
    await ask('GET', `${REPOSITORY}/pulls?heads=x`)
    await ask('POST', `${REPOSITORY}/git/refs`, { ref: 'refs/heads/x' })
    await ask('POST', '/orgs/acme/repos', { name: 'x', autoinit: true })
    await ask('GET', '/repos/acme/gitops/nothing')
    expect(github.deviations.splice(0)).toStrictEqual([
      'GET /repos/acme/gitops/pulls: heads is no parameter of pulls/list',
      "POST /repos/acme/gitops/git/refs: body must have required property 'sha'",
      'POST /orgs/acme/repos: body/autoinit is no member that GitHub knows',
      'GitHub describes no GET /repos/acme/gitops/nothing',
    ])
  })

  test('fails a test at its end for a deviation that nobody took away', async () => {
    const opened = await openTestGitHub()
    await opened.ask('GET', `${REPOSITORY}/pulls?heads=x`)
    const ended = await Promise.resolve(opened[Symbol.asyncDispose]()).catch(String)
    expect(ended).toContain('heads is no parameter of pulls/list')
  })

  test('answers 304 for an entity tag of the same credential, free of charge', async () => {
    await using opened = await openTestGitHub()
    const { ask } = opened
    const first = await ask('GET', REPOSITORY)
    const etag = { 'if-none-match': first.headers.get('etag') ?? '' }
    const second = await ask('GET', REPOSITORY, undefined, etag)
    expect(second.status).toBe(304)
    expect(second.headers.get('x-ratelimit-used')).toBe(first.headers.get('x-ratelimit-used'))
  })

  test.each<readonly [string, Partial<Credential>, string]>([
    [
      'a right',
      { rights: { ...EVERY_RIGHT, contents: 'read' } satisfies Rights },
      'Resource not accessible by personal access token',
    ],
    ['single sign-on', { blockedBy: 'sso' }, 'Resource protected by organization SAML enforcement'],
    ['the allow list', { blockedBy: 'ip_allow_list' }, 'has an IP allow list enabled'],
  ])('denies a write without %s by 403', async (_, credential, message) => {
    await using opened = await openTestGitHub({}, credential)
    const { status, at } = await opened.ask('POST', `${REPOSITORY}/git/blobs`, { content: 'x' })
    expect([status, at('message')]).toStrictEqual([403, expect.stringContaining(message)])
  })

  test('denies writes to an archive, and hides what a credential may not see', async () => {
    await using opened = await openTestGitHub()
    const { ask, repository, github, account } = opened
    repository.archived = true
    const denied = await ask('POST', `${REPOSITORY}/git/blobs`, { content: 'x' })
    expect(denied.at('message')).toBe('Repository was archived so is read-only.')
    github.addCredential('ghp_other', { account, repositories: ['acme/other'] })
    const other = { authorization: 'Bearer ghp_other' }
    expect((await ask('GET', REPOSITORY, undefined, other)).status).toBe(404)
    const nobody = { authorization: 'Bearer ghp_nobody' }
    expect((await ask('GET', REPOSITORY, undefined, nobody)).at('message')).toBe('Bad credentials')
  })

  test('limits requests of both kinds for a time', async () => {
    let now = 1_800_000_000_000
    await using opened = await openTestGitHub({ now: () => now })
    const { ask, github } = opened
    github.setLimit({ kind: 'primary', until: now + 10_800_000 })
    const primary = await ask('GET', REPOSITORY)
    expect([primary.status, primary.headers.get('x-ratelimit-remaining')]).toStrictEqual([403, '0'])
    expect(primary.headers.get('x-ratelimit-reset')).toBe(String((now + 10_800_000) / 1000))
    now += 10_800_000
    expect((await ask('GET', REPOSITORY)).status).toBe(200)
    github.setLimit({ kind: 'secondary', until: now + 60_000 })
    expect((await ask('GET', REPOSITORY)).headers.get('retry-after')).toBe('60')
    now += 60_000
    expect((await ask('GET', REPOSITORY)).status).toBe(200)
  })

  test('fails as it is told, before or after the effect', async () => {
    await using opened = await openTestGitHub()
    const { ask, github, repository } = opened
    const sha = await opened.main()
    const create = (name: string) =>
      ask('POST', `${REPOSITORY}/git/refs`, { ref: `refs/heads/${name}`, sha }).then(
        ({ status }) => status,
        () => 'broken',
      )
    const exists = async (name: string) =>
      (await repository.git.reference(`refs/heads/${name}`)) !== null
    const on = 'git/create-ref'
    github.fail({ on, fault: { kind: 'answer', status: 500, body: {} } })
    expect([await create('a'), await exists('a')]).toStrictEqual([500, false])
    github.fail({ on, fault: { kind: 'answer', status: 502, body: '<html>', after: true } })
    expect([await create('b'), await exists('b')]).toStrictEqual([502, true])
    github.fail({ on, fault: { kind: 'reset' } })
    expect([await create('c'), await exists('c')]).toStrictEqual(['broken', false])
    github.fail({ on, fault: { kind: 'reset', after: true } })
    expect([await create('d'), await exists('d')]).toStrictEqual(['broken', true])
    github.fail({ on, fault: { kind: 'cut', bytes: 20 } })
    expect([await create('e'), await exists('e')]).toStrictEqual(['broken', true])
    github.fail({ on, nth: 2, fault: { kind: 'length', by: 10 } })
    expect([await create('f'), await create('g'), await create('h')]).toStrictEqual([
      201,
      'broken',
      201,
    ])
    expect(github.arrivals.filter(({ name }) => name === on).length).toBe(8)
  })
})
