import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ada, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { createCookieJar } from '#tests/support/browser-jar.ts'
import { readPage, settingNames, settingsIn } from '#tests/support/docs-page.ts'
import { freePort } from '#tests/support/free-port.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import { mustHaveAll } from '#tests/support/must-have-all.ts'
import { type PorticoProcess, startPortico } from '#tests/support/portico-process.ts'
import { until } from '#tests/support/until.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'
import { runProgram } from '#tests/support/run-program.ts'

const page = await readPage('one-machine.md')
const files = page.files()
const unit = files.get('/etc/systemd/system/portico.service') ?? ''
const commands = page.blocks('sh')
const hasSystemd = Bun.which('systemd-analyze') !== null

const priya = { ...ada, sub: 'priya', name: 'Priya', groups: ['platform-team'] }

const folder = folderOfTests()

async function run(command: readonly string[], cwd = folder) {
  const surroundings = { cwd, env: gitEnvironment(folder) }
  const { exitCode, stdout, stderr } = await runProgram(command, surroundings)
  return { exitCode, output: `${stdout}${stderr}` }
}

/** Runs a block of the page; it may use no other folder than that of the test. */
const shell = (block: string) => run(['sh', '-e', '-c', block])

const blockWith = (text: string): string => {
  const block = commands.find((each) => each.includes(text))
  if (block === undefined) throw new Error(`the page has no block with ${text}`)
  return block
}

/** What systemd gives the process. */
function environmentOf(credentials: string): Readonly<Record<string, string>> {
  const lines = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' '),
  )
  const own = lines.map((line) => line.replace('%d', credentials)).join('\n')
  return { ...settingsIn(own), ...settingsIn(files.get('/etc/portico/portico.env') ?? '') }
}

describe('the page about one machine', () => {
  test('has three settings to write, and names only settings that exist', async () => {
    const written = settingsIn((files.get('/etc/portico/portico.env') ?? '').replace(/^#.*\n/, ''))
    expect(Object.keys(written)).toHaveLength(3)
    const named = Object.keys(environmentOf('/run')).filter((name) => !name.startsWith('#'))
    expect(named.filter((name) => !settingNames.has(name))).toStrictEqual([])
  })

  test('makes keys that nobody else reads, and the unit names each', async () => {
    const made = await shell(blockWith('umask').replaceAll('/etc/portico', `${folder}/etc`))
    expect(made).toStrictEqual({ exitCode: 0, output: '' })
    const credentials = [...unit.matchAll(/^LoadCredential=([\w-]+):\/etc\/portico\/([\w-]+)$/gm)]
    expect(credentials.length).toBe(4)
    for (const [, name, file = ''] of credentials) {
      expect(file).toBe(name ?? '')
      const { mode } = await stat(join(folder, 'etc', file))
      expect(mode & 0o077).toBe(0)
      expect(unit).toContain(`_FILE=%d/${file}`)
    }
  })

  test.if(hasSystemd || mustHaveAll)(
    'has a unit that systemd takes, and calls hardened',
    async () => {
      const path = join(folder, 'portico.service')
      // Neither the program nor the user is on this machine.
      await Bun.write(
        path,
        unit
          .replace('/usr/local/bin/portico serve', '/bin/true')
          .replace('User=portico', 'User=daemon'),
      )
      expect(await run(['systemd-analyze', 'verify', path])).toStrictEqual({
        exitCode: 0,
        output: '',
      })
      const rated = await run([
        'systemd-analyze',
        'security',
        '--offline=true',
        '--threshold=20',
        path,
      ])
      expect([rated.exitCode, rated.output]).toStrictEqual([0, expect.stringContaining('OK')])
    },
  )
})

describe('from nothing', () => {
  let peer: OidcPeer
  let portico: PorticoProcess
  let origin: string
  beforeAll(async () => {
    const port = freePort()
    origin = `http://127.0.0.1:${port}`
    peer = await startOidcPeer({ publicUrl: origin, people: [priya] })
    const etc = join(folder, 'served')
    await shell(blockWith('umask').replaceAll('/etc/portico', etc))
    await Bun.write(join(etc, 'oidc-client-secret'), peer.settings['OIDC_CLIENT_SECRET'] ?? '')
    await mkdir(join(folder, 'data'))
    const { OIDC_ISSUER = '', OIDC_CLIENT_ID = '' } = peer.settings
    portico = await startPortico(['serve'], {
      ...environmentOf(etc),
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      PUBLIC_URL: origin,
      OIDC_ISSUER,
      OIDC_CLIENT_ID,
    })
  })
  afterAll(async () => {
    await portico[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  const jar = createCookieJar()
  async function ask(path: string, init: RequestInit = {}) {
    const cookie = jar.header(path.split('?')[0] ?? '')
    const response = await fetch(`${origin}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) },
    })
    jar.take(response)
    return response
  }
  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    ask(path, { method: 'POST', body: new URLSearchParams(fields) })

  test('somebody signs in', async () => {
    const login = await ask('/api/v1/auth/login?return_to=/git')
    const callback = await peer.authorize(login.headers.get('location') ?? '', 'priya')
    const back = await ask(`${callback.pathname}${callback.search}`)
    expect([back.status, back.headers.get('location')]).toStrictEqual([303, '/git'])
    const session = await (await ask('/api/v1/auth/session')).json()
    expect(session).toMatchObject({ name: 'Priya', platform: true, repositories: '/git' })
    expect((await fetch(`${origin}/readyz`)).status).toBe(503)
  })

  test('makes the first repositories by a page, and the portal is ready', async () => {
    const suggested = await (await ask('/git/new')).text()
    expect(suggested).toContain('value="gitops"')
    for (const name of ['gitops', 'templates']) {
      const made = await form('/git/new', { name, team: 'platform', description: '' })
      expect([made.status, made.headers.get('location')]).toStrictEqual([303, `/git/acme/${name}`])
    }
    await until(async () => (await fetch(`${origin}/readyz`)).status === 200)
  })

  test('changes the catalog by the commands of the page, a pull request and a merge', async () => {
    const made = await ask('/api/v1/git/repositories/acme/gitops/deploy-tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'first', access: 'write' }),
    })
    const { token } = (await made.json()) as { token: string }
    const block = blockWith('git clone')
      .replace('https://deploy@portal.example.org', origin.replace('://', `://deploy:${token}@`))
      .replace('git commit', 'git -c user.name=Priya -c user.email=priya@example.org commit')
    const pushed = await shell(block)
    expect([pushed.exitCode, pushed.output]).toStrictEqual([
      0,
      expect.stringContaining('first-service'),
    ])

    const fields = { head: 'first-service', base: 'main', title: 'payments-api' }
    const opened = await form('/git/acme/gitops/pulls/new', fields)
    expect(opened.headers.get('location')).toBe('/git/acme/gitops/pulls/1')
    expect((await form('/git/acme/gitops/pulls/1/merge', {})).status).toBe(303)
    const entity = await ask('/api/v1/catalog/entities/component/payments-api')
    expect(await entity.json()).toMatchObject({ metadata: { name: 'payments-api' } })
  })
})
