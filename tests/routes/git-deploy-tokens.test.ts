import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { freePort } from '#tests/support/free-port.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { textsOf } from '#tests/support/page-markup.ts'
import { openPortal, type Person, type TestPortal } from '#tests/support/portal.ts'
import { auditRows } from '#tests/support/audit-rows.ts'
import { runProgram } from '#tests/support/run-program.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

/** The expression that the documentation gives to secret scanners. */
const SCANNED = /\bprd_[0-9A-Za-z]{49}\b/
const TOKENS = '/api/v1/git/repositories/acme/gitops/deploy-tokens'

let portal: TestPortal
let host: string
let server: Bun.Server<undefined>
beforeAll(async () => {
  const port = freePort()
  host = `127.0.0.1:${port}`
  portal = await openPortal({ environment: { ALLOWED_HOSTS: host } })
  server = Bun.serve({ port, hostname: '127.0.0.1', fetch: portal.portal.app.fetch })
})
afterAll(async () => {
  await server.stop(true)
  await portal[Symbol.asyncDispose]()
})
// Hooks run in the order of their registration: the folder goes last.
const scratch = folderOfTests()

interface Token {
  readonly id: string
  readonly name: string
  readonly access: string
  readonly createdBy: { readonly subject: string }
  readonly lastUsedAt: string | null
}

const send = (as: Person, method: string, address = TOKENS, body?: object) =>
  portal.request(address, { as, method, json: body })

async function make(name: string, access: 'read' | 'write', address = TOKENS) {
  const made = await send('platform', 'POST', address, { name, access })
  expect(made.status).toBe(201)
  return (await made.json()) as { token: string; deployToken: Token }
}

/** CRC-32 in base 62. */
function checksumOf(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const places = Array.from({ length: 6 }, (_, place) => BigInt(crc32(text)) / 62n ** BigInt(place))
  return places
    .map((rest) => digits.charAt(Number(rest % 62n)))
    .toReversed()
    .join('')
}

const tokens = async () => (await (await send('platform', 'GET')).json()) as Token[]

const git = (folder: string, ...args: readonly string[]) =>
  runProgram(['git', '-c', 'user.name=T', '-c', 'user.email=t@t.example', ...args], {
    cwd: folder,
    env: gitEnvironment(folder),
  })

const clone = async (password: string, name = 'gitops') => {
  const folder = join(scratch, crypto.randomUUID())
  const url = `http://deploy:${password}@${host}/git/acme/${name}.git`
  return { folder, ...(await git(scratch, 'clone', '-q', url, folder)) }
}

const refs = (headers: Readonly<Record<string, string>>, service = 'git-upload-pack') =>
  fetch(`http://${host}/git/acme/gitops.git/info/refs?service=${service}`, { headers })

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}`,
})

describe('a deploy token', () => {
  test('is shown once, and kept as a digest', async () => {
    const { token, deployToken } = await make('argo-cd', 'read')
    expect(token).toMatch(SCANNED)
    expect(checksumOf(token.slice(4, -6))).toBe(token.slice(-6))
    expect(deployToken).toMatchObject({
      name: 'argo-cd',
      access: 'read',
      createdBy: { subject: 'platform' },
      lastUsedAt: null,
    })
    const listed = JSON.stringify(await tokens())
    expect(listed).toContain(deployToken.id)
    expect(listed).not.toContain(token)
    expect(portal.logged.join('\n')).not.toContain(token)
  })

  test('to read clones and does not push', async () => {
    const { token, deployToken } = await make('reader', 'read')
    const { folder, exitCode } = await clone(token)
    expect(exitCode).toBe(0)
    await git(folder, 'commit', '-q', '--allow-empty', '-m', 'x')
    const pushed = await git(folder, 'push', '-q', 'origin', 'HEAD:refs/heads/idea')
    expect([pushed.exitCode, pushed.stderr]).toStrictEqual([128, expect.stringContaining('403')])
    expect((await refs(basic(token), 'git-receive-pack')).status).toBe(403)
    const used = (await tokens()).find(({ id }) => id === deployToken.id)
    expect(used?.lastUsedAt).not.toBeNull()
  })

  test('to write pushes branches and tags, and not the default branch', async () => {
    const { token } = await make('ci', 'write')
    const { folder } = await clone(token)
    await git(folder, 'commit', '-q', '--allow-empty', '-m', 'x')
    expect((await git(folder, 'push', '-q', 'origin', 'HEAD:refs/heads/work')).exitCode).toBe(0)
    expect((await git(folder, 'push', '-q', 'origin', 'HEAD:refs/tags/v1')).exitCode).toBe(0)
    for (const ref of ['HEAD:main', '+HEAD:main', ':main']) {
      const refused = await git(folder, 'push', '-q', 'origin', ref)
      expect(refused.exitCode).toBe(1)
      expect(refused.stderr).toContain('remote rejected')
    }
  })

  test('is for one repository', async () => {
    const { token } = await make('one', 'read')
    const { exitCode, stderr } = await clone(token, 'templates')
    expect(exitCode).toBe(128)
    expect(stderr).toContain('Authentication failed')
  })

  test('that has ended opens nothing', async () => {
    const { token, deployToken } = await make('ended', 'read')
    expect((await refs(basic(token))).status).toBe(200)
    expect((await send('platform', 'DELETE', `${TOKENS}/${deployToken.id}`)).status).toBe(204)
    expect((await refs(basic(token))).status).toBe(401)
    const again = await send('platform', 'DELETE', `${TOKENS}/${deployToken.id}`)
    expect(await again.json()).toMatchObject({ code: 'deploy_token_not_found' })
  })

  test('is not ended by way of another repository', async () => {
    const { deployToken } = await make('elsewhere', 'read')
    const other = TOKENS.replace('gitops', 'templates')
    expect((await send('platform', 'DELETE', `${other}/${deployToken.id}`)).status).toBe(404)
    expect((await tokens()).map(({ id }) => id)).toContain(deployToken.id)
  })

  test.each(['dev', 'manager', 'outsider'] as const)('is no business of %s', async (person) => {
    const { deployToken } = await make(`not-of-${person}`, 'read')
    for (const [method, address, body] of [
      ['GET', TOKENS, undefined],
      ['POST', TOKENS, { name: 'x', access: 'read' }],
      ['DELETE', `${TOKENS}/${deployToken.id}`, undefined],
    ] as const) {
      const refused = await send(person, method, address, body)
      expect([method, refused.status]).toStrictEqual([method, 403])
    }
    expect((await tokens()).map(({ id }) => id)).toContain(deployToken.id)
    const rows = await auditRows(portal, `action=deploy_token&actor=${person}`)
    expect(rows.map(({ action, result }) => `${action} ${result}`)).toStrictEqual([
      'deploy_token.create denied',
      'deploy_token.end denied',
    ])
  })

  test('of a repository that is not there is refused', async () => {
    const missing = TOKENS.replace('gitops', 'nothing')
    const refused = await send('platform', 'POST', missing, { name: 'x', access: 'read' })
    expect(await refused.json()).toMatchObject({ status: 404, code: 'repository_not_found' })
  })

  test.each([{ name: 'Not a name', access: 'read' }, { name: 'x' }, { name: 'x', access: 'all' }])(
    '%j is no request',
    async (body) => {
      expect((await send('platform', 'POST', TOKENS, body)).status).toBe(422)
    },
  )

  test('is one of fifty at most', async () => {
    const other = TOKENS.replace('gitops', 'templates')
    for (let count = 0; count < 50; count += 1) {
      if (count % 20 === 0) portal.clock.advance(60_000)
      await make(`token-${count}`, 'read', other)
    }
    portal.clock.advance(60_000)
    const refused = await send('platform', 'POST', other, { name: 'one-more', access: 'read' })
    expect(await refused.json()).toMatchObject({ status: 409, code: 'too_many_deploy_tokens' })
  })
})

describe('git over http', () => {
  test('asks for a password', async () => {
    const asked = await refs({})
    expect(asked.status).toBe(401)
    expect(asked.headers.get('www-authenticate')).toBe('Basic realm="Portico"')
  })

  test('takes no session for one', async () => {
    const cookie = `portal_session=${await portal.signIn('platform')}`
    expect((await refs({ cookie }, 'git-receive-pack')).status).toBe(401)
  })

  test('limits wrong passwords, and never refuses a right one', async () => {
    const { token } = await make('patient', 'read')
    const statuses = new Set<number>()
    for (let time = 0; time < 100; time += 1) {
      statuses.add((await refs(basic(`prd_${'0'.repeat(49)}`))).status)
    }
    expect([...statuses]).toStrictEqual([401, 429])
    expect((await refs(basic(token))).status).toBe(200)
    portal.clock.advance(60_000)
  })
})

describe('the page', () => {
  const PAGE = '/git/acme/gitops/tokens'
  const html = { accept: 'text/html' }

  test('makes a token and shows it once', async () => {
    const made = await portal.request(PAGE, {
      as: 'platform',
      method: 'POST',
      headers: html,
      body: new URLSearchParams({ name: 'by-page', access: 'write' }),
      undocumented: true,
    })
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const [token = ''] = await textsOf(await made.text(), '.command')
    expect(token).toMatch(SCANNED)
    expect((await refs(basic(token), 'git-receive-pack')).status).toBe(200)
    const shown = await portal.request(PAGE, { as: 'platform', headers: html, undocumented: true })
    expect(await shown.text()).not.toContain(token)
  })

  test('ends one', async () => {
    const { token, deployToken } = await make('to-end', 'read')
    const ended = await portal.request(`${PAGE}/${deployToken.id}/end`, {
      as: 'platform',
      method: 'POST',
      headers: html,
      undocumented: true,
    })
    expect([ended.status, ended.headers.get('location')]).toStrictEqual([303, PAGE])
    expect((await refs(basic(token))).status).toBe(401)
  })

  test('is for the platform team', async () => {
    const refused = await portal.request(PAGE, { as: 'manager', headers: html, undocumented: true })
    expect(refused.status).toBe(403)
  })

  test('is not shown to somebody whose groups have just shrunk', async () => {
    await using own = await openPortal()
    await own.signIn('platform')
    own.provider.groups.platform = []
    own.clock.advance(301_000)
    const shown = await own.request(PAGE, { as: 'platform', headers: html, undocumented: true })
    expect(shown.status).toBe(403)
  })
})
