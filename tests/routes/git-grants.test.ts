import { afterAll, describe, expect, test } from 'bun:test'
import { openPortal, ORIGIN, type Person } from '#tests/support/portal.ts'
import { until } from '#tests/support/until.ts'
import { allow, authorization, exchange, grantTo, type Tokens } from '#tests/support/grants.ts'

const portal = await openPortal({ environment: { FAILED_SIGN_INS_PER_MINUTE: '1000' } })
afterAll(() => portal[Symbol.asyncDispose]())

const REPOSITORY = '/git/acme/gitops.git'
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`portico:${password}`).toString('base64')}`,
})
const refs = (
  headers: Readonly<Record<string, string>>,
  service = 'git-upload-pack',
  at = portal,
) => at.request(`${REPOSITORY}/info/refs?service=${service}`, { headers, undocumented: true })
const tokenOf = async (person: Person, scope: string) =>
  (await grantTo(portal, person, scope)).access_token

async function agentToken(): Promise<string> {
  const query = authorization({ scope: 'catalog:read', resource: `${ORIGIN}/mcp` })
  const location = await allow(portal, 'dev', query)
  const answer = await exchange(portal, { code: location.searchParams.get('code') ?? '' })
  return ((await answer.json()) as Tokens).access_token
}

const NONE = '0'.repeat(40)
const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0')
const EMPTY_PACK = Buffer.concat([head, new Bun.CryptoHasher('sha1').update(head).digest()])

type Command = readonly [ref: string, before: string, after: string]

/** A push that moves or makes refs, as git sends it, with objects that are there. */
function send(token: string, commands: readonly Command[], init: object = {}, at = portal) {
  const lines = commands.map(([ref, before, after]) => {
    const command = `${before} ${after} ${ref}\0 report-status`
    return `${(command.length + 4).toString(16).padStart(4, '0')}${command}`
  })
  return at.request(`${REPOSITORY}/git-receive-pack`, {
    method: 'POST',
    headers: { ...basic(token), 'content-type': 'application/x-git-receive-pack-request' },
    body: Buffer.concat([Buffer.from(`${lines.join('')}0000`), EMPTY_PACK]),
    undocumented: true,
    ...init,
  })
}

const push = async (token: string, ref: string, before: string, after: string) =>
  (await send(token, [[ref, before, after]])).text()

async function headOf(token: string): Promise<string> {
  const listed = await (await refs(basic(token))).text()
  return /([0-9a-f]{40}) refs\/heads\/main/.exec(listed)?.[1] ?? ''
}

const rows = async (at = portal) => {
  const listed = await at.request('/api/v1/audit?action=repository.push', { as: 'platform' })
  return (await listed.json()) as readonly { readonly result: string }[]
}

describe('git at the embedded host, by a grant of the command line', () => {
  test.each<[string, () => Promise<string>, string, number]>([
    ['that reads the catalog: a clone', () => tokenOf('dev', 'catalog:read'), 'upload-pack', 200],
    ['that reads alone: no push', () => tokenOf('dev', 'catalog:read'), 'receive-pack', 403],
    ['that proposes: a push', () => tokenOf('dev', 'promotion:write'), 'receive-pack', 200],
    ['that proposes alone: no clone', () => tokenOf('dev', 'promotion:write'), 'upload-pack', 403],
    ['of another service: nothing', agentToken, 'upload-pack', 401],
    [
      'by its refresh token: nothing',
      async () => (await grantTo(portal, 'dev', 'catalog:read')).refresh_token,
      'upload-pack',
      401,
    ],
    ['by a session: nothing', () => portal.signIn('dev'), 'upload-pack', 401],
  ])('%s', async (_, token, service, status) => {
    expect((await refs(basic(await token()), `git-${service}`)).status).toBe(status)
  })

  test('its token is a password of git alone, and no Bearer of git', async () => {
    const token = await tokenOf('dev', 'catalog:read')
    const bearer = await refs({ authorization: `Bearer ${token}` })
    const elsewhere = await portal.request('/api/v1/auth/session', { headers: basic(token) })
    expect([bearer.status, elsewhere.status]).toStrictEqual([401, 401])
  })

  test('ends with the grant', async () => {
    const token = await tokenOf('outsider', 'catalog:read')
    await portal.request('/api/v1/grants', { method: 'DELETE', as: 'outsider' })
    expect((await refs(basic(token))).status).toBe(401)
  })

  test('proposes only: not even the platform team pushes a default branch by it, and it is on record', async () => {
    const token = await tokenOf('platform', 'catalog:read promotion:write')
    const main = await headOf(token)
    expect(await push(token, 'refs/heads/idea', NONE, main)).toContain('ok refs/heads/idea')
    expect(await push(token, 'refs/heads/main', main, '1'.repeat(40))).toContain(
      'changes by pull requests',
    )
    const by = {
      actor: { subject: 'platform' },
      via: { kind: 'cli', client: 'portico' },
      target: 'repository/acme/gitops',
    }
    expect(await rows()).toMatchObject([
      { ...by, result: 'denied', code: 'forbidden', details: { refs: ['refs/heads/main'] } },
      { ...by, result: 'done', details: { refs: ['refs/heads/idea'] } },
    ])
  })

  test('that asks before a large push whether it may has pushed nothing yet', async () => {
    const token = await tokenOf('platform', 'catalog:read promotion:write')
    const before = await rows()
    const type = 'application/x-git-receive-pack-request'
    const headers = { ...basic(token), 'content-type': type, 'content-length': '4' }
    const asked = await send(token, [], { headers, body: '0000' })
    expect([asked.status, await asked.text()]).toStrictEqual([200, ''])
    expect(await rows()).toStrictEqual(before)
  })

  test('that leaves in the middle of a push has failed, on record too', async () => {
    const token = await tokenOf('platform', 'catalog:read promotion:write')
    const leaving = new AbortController()
    let leave = () => {}
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('00'))
        leave = () => controller.error(new Error('left'))
      },
    })
    const pushed = send(token, [], { body, signal: leaving.signal })
    await until(async () => (await rows())[0]?.result === 'started')
    leaving.abort()
    leave()
    await until(async () => (await rows())[0]?.result === 'failed')
    await pushed.catch(() => undefined)
  })

  test('is done on record if its refs have moved, though its client has left', async () => {
    const token = await tokenOf('dev', 'catalog:read promotion:write')
    const main = await headOf(token)
    const answer = await send(token, [['refs/heads/left', NONE, main]])
    await answer.body?.cancel()
    await until(async () => (await rows())[0]?.result !== 'started')
    expect((await rows())[0]).toMatchObject({
      result: 'done',
      details: { refs: ['refs/heads/left'] },
    })
  })

  test.each<[string, (main: string) => readonly Command[]]>([
    [
      'another of its refs has changed meanwhile',
      (main) => [
        ['refs/heads/new', NONE, main],
        ['refs/heads/gone', main, '1'.repeat(40)],
      ],
    ],
    ['its objects are missing', () => [['refs/heads/new', NONE, '1'.repeat(40)]]],
  ])('has failed on record if %s', async (_, commands) => {
    const token = await tokenOf('dev', 'catalog:read promotion:write')
    expect(await (await send(token, commands(await headOf(token)))).text()).toContain('ng refs')
    expect((await rows())[0]).toMatchObject({
      result: 'failed',
      code: 'git_push_failed',
      details: { refs: ['refs/heads/new'] },
    })
  })

  test('counts as a write of its person: beyond the limit nothing is on record', async () => {
    await using at = await openPortal({ environment: { WRITES_PER_MINUTE: '3' } })
    // The consent was one.
    const { access_token } = await grantTo(at, 'dev', 'promotion:write')
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await send(access_token, [], {}, at)).status)
    }
    expect(statuses).toStrictEqual([200, 200, 429, 429])
    expect(await rows(at)).toHaveLength(2)
  })

  test('while the identity provider is away reads, and pushes nothing', async () => {
    await using at = await openPortal()
    const { access_token } = await grantTo(at, 'dev', 'catalog:read promotion:write')
    at.provider.failure = { kind: 'identity_unreachable' }
    at.clock.advance(300_000)
    const statuses = ['git-upload-pack', 'git-receive-pack'].map(
      async (service) => (await refs(basic(access_token), service, at)).status,
    )
    expect(await Promise.all(statuses)).toStrictEqual([200, 503])
  })
})
