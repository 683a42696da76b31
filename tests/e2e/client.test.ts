import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allowAtDemo } from '#tests/support/demo-consent.ts'
import { gitEnvironment } from '#tests/support/git-environment.ts'
import {
  type PorticoProcess,
  PROGRAM,
  runPortico,
  spawnPortico,
  startPortico,
} from '#tests/support/portico-process.ts'
import { until } from '#tests/support/until.ts'
import { runProgram } from '#tests/support/run-program.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

describe('the command line', () => {
  let portal: PorticoProcess
  const variables = () => ({ XDG_CONFIG_HOME: folder, PORTICO_CREDENTIALS: 'file' })
  const file = () => join(folder, 'portico/credentials.json')
  const run = (...command: readonly string[]) => runPortico(command, variables())

  async function git(...words: readonly string[]): Promise<string> {
    const helper = `credential.${portal.url}.helper=!${PROGRAM.join(' ')} credential`
    const child = Bun.spawn(['git', '-c', helper, ...words], {
      env: { ...gitEnvironment(folder), ...variables() },
      stderr: 'pipe',
    })
    return child.stderr.text()
  }

  beforeAll(async () => {
    portal = await startPortico(['demo'], { PORT: '0', DATA_DIR: join(folder, 'data') })
  }, 120_000)
  afterAll(() => portal[Symbol.asyncDispose]())
  // Hooks run in the order of their registration: the folder goes last.
  const folder = folderOfTests()

  async function signIn(user: string): Promise<string> {
    const login = spawnPortico(['login', portal.url, '--no-browser'], variables())
    await until(() => login.printed.stdout.includes('/oauth/authorize'))
    const [page = ''] = /http\S+\/oauth\/authorize\S+/.exec(login.printed.stdout) ?? []
    const next = await allowAtDemo(portal.url, page, user)
    // Another program on this machine, which does not know the state.
    const forged = new URL(next)
    forged.searchParams.set('state', 'forged')
    expect((await fetch(forged)).status).toBe(404)
    expect(await (await fetch(next)).text()).toContain('You are signed in')
    const { exitCode, stdout, stderr } = await login.end()
    expect([exitCode, stderr]).toStrictEqual([0, ''])
    return stdout
  }

  test('without a sign-in says how to get one', async () => {
    const { exitCode, stderr } = await run('list')
    expect([exitCode, stderr]).toStrictEqual([
      4,
      'portico: sign in first: portico login https://portal.example.org\n',
    ])
  })

  test('is for https alone, and for this machine', async () => {
    const { exitCode, stderr } = await run('login', 'http://portal.example.org')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('must be an https URL')
  })

  test('signs in by the browser, and keeps the tokens where nobody else reads them', async () => {
    expect(await signIn('manager')).toEndWith(`Signed in at ${portal.url}\n`)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const { stdout } = await run('whoami')
    expect(stdout).toBe(`Marek Novak (manager) at ${portal.url}, in payments\n`)
  }, 60_000)

  test('shows what runs where, for people and for programs', async () => {
    const [list, status, json] = await Promise.all([
      run('list'),
      run('status', 'ledger'),
      run('status', 'ledger', '--output', 'json'),
    ])
    expect(list.stdout).toContain('APPLICATION')
    expect(list.stdout).toContain('ledger')
    expect(status.stdout).toContain('production')
    // Not a terminal: no colours.
    expect(status.stdout).not.toContain('\u001B')
    expect(JSON.parse(json.stdout)).toMatchObject({ app: 'ledger' })
  }, 60_000)

  test('has colours on a terminal alone, and none where nobody wants them', async () => {
    const shown = async (more: Readonly<Record<string, string>>) => {
      let text = ''
      await using child = Bun.spawn([...PROGRAM, 'status', 'ledger'], {
        env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...variables(), ...more },
        terminal: { data: (_, bytes) => void (text += new TextDecoder().decode(bytes)) },
      })
      await child.exited
      return text
    }
    const [coloured, plain] = await Promise.all([shown({}), shown({ NO_COLOR: '1' })])
    expect(coloured).toContain('\u001B[32mlive\u001B[0m')
    expect(plain).toContain('live')
    expect(plain).not.toContain('\u001B')
  }, 60_000)

  test('promotes by pull request, after a preview, and says what the portal refuses', async () => {
    const release = ['release', 'ledger', '--to', 'production', '--set', 'replicas=7']
    const preview = await run(...release, '--dry-run')
    expect([preview.exitCode, preview.stderr]).toStrictEqual([0, ''])
    expect(preview.stdout).toContain('replicas: 7')
    const opened = await run(...release)
    expect(opened.stdout).toMatch(/^Opened http\S+\/pulls\/\d+\n$/)
    const none = await run('release', 'ledger', '--to', 'nowhere')
    expect(none.exitCode).toBe(2)
    expect(none.stderr).toContain('--to must be one of dev, staging, production')
    const unknown = await run('status', 'nothing-of-this-name')
    expect(unknown.exitCode).toBe(3)
  }, 60_000)

  test('gives git its token for this portal alone, and a real git clones and pushes by it', async () => {
    const asked = (url: URL) => `protocol=${url.protocol.slice(0, -1)}\nhost=${url.host}\n\n`
    const helper = async (operation: string, input: string) => {
      const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...variables() }
      const asked = await runProgram([...PROGRAM, 'credential', operation], { env, input })
      return [asked.stdout, asked.exitCode]
    }
    const own = new URL(portal.url)
    expect(await helper('get', asked(own))).toStrictEqual([
      expect.stringMatching(
        /^username=portico\npassword=prt_\w{49}\npassword_expiry_utc=\d{10}\n$/,
      ),
      0,
    ])
    for (const host of [
      'github.com',
      `evil.example@${own.host}`,
      `${own.host}.evil.example`,
      own.hostname,
      `127.0.0.1:\t${own.port}`,
      `${own.host}\r`,
    ]) {
      expect(await helper('get', `protocol=http\nhost=${host}\n\n`)).toStrictEqual(['', 0])
    }
    expect(await helper('get', asked(new URL(`https://${own.host}`)))).toStrictEqual(['', 0])

    const clone = join(folder, 'clone')
    const url = `${portal.url}/git/acme/gitops.git`
    expect(await git('clone', '-q', url, clone)).toBe('')
    expect(await git('-C', clone, 'push', '-q', 'origin', 'HEAD:refs/heads/by-marek')).toBe('')
    expect(await git('-C', clone, 'push', '-q', 'origin', 'HEAD^:refs/heads/main', '-f')).toContain(
      'remote rejected',
    )
    // A token that the portal refuses is renewed at the next question.
    const kept = await readFile(file(), 'utf8')
    const [, password = ''] = /"accessToken": "([^"]+)"/.exec(kept) ?? []
    expect(await helper('erase', `${asked(own).trim()}\npassword=other\n`)).toStrictEqual(['', 0])
    expect(await readFile(file(), 'utf8')).toBe(kept)
    await helper('erase', `${asked(own).trim()}\npassword=${password}\n`)
    expect(await readFile(file(), 'utf8')).toContain('"expiresAt": 0')
    expect(await git('-C', clone, 'fetch', '-q')).toBe('')
  }, 60_000)

  test('starts a project with a question for each parameter, and tells each step', async () => {
    const answers: readonly [string, string][] = [
      ['Name of the application: ', 'refund-site'],
      ['Team: ', 'payments'],
      ['Namespace: ', 'payments-dev'],
      ['Description (optional): ', 'Refunds'],
      ['Public [false]: ', 'true'],
      ['Owners of the workflows ["@acme/platform-team"]: ', ''],
    ]
    let shown = ''
    let asked = 0
    const decoder = new TextDecoder()
    await using child = Bun.spawn([...PROGRAM, 'new', 'static-site'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...variables() },
      terminal: {
        data(terminal, bytes) {
          shown += decoder.decode(bytes, { stream: true })
          const [question, answer] = answers[asked] ?? []
          if (question === undefined || !shown.includes(question)) return
          asked += 1
          terminal.write(`${answer}\n`)
        },
      },
    })
    expect(await child.exited).toBe(0)
    expect(asked).toBe(answers.length)
    for (const text of ['complete     Created acme/refund-site', 'Pull request  http']) {
      expect(shown).toContain(text)
    }
    const unanswered = await runPortico(['new', 'static-site'], variables())
    expect([unanswered.exitCode, unanswered.stderr]).toStrictEqual([3, expect.any(String)])
  }, 60_000)

  test('follows the log of all pods', async () => {
    const logs = spawnPortico(['logs', 'ledger', '--follow', '--tail', '3'], variables())
    await until(() => logs.printed.stdout.split('\n').length > 4)
    await logs.end('SIGINT')
    expect(logs.printed.stderr).toBe('')
    expect(logs.printed.stdout).toMatch(/^2\S+Z ledger-\S+\/ledger /m)
  }, 60_000)

  test('has the rest of the API, and its scopes', async () => {
    const read = await run('api', 'GET', 'catalog/entities?limit=2', '--paginate')
    expect((JSON.parse(read.stdout) as unknown[]).length).toBeGreaterThan(10)
    const refused = await run('api', 'GET', '/api/v1/audit?team=payments')
    expect([refused.exitCode, refused.stderr]).toStrictEqual([
      3,
      'portico: The access token does not allow this: missing: audit:read\n',
    ])
    const elsewhere = await run('api', 'GET', '//evil.example/x')
    expect([elsewhere.exitCode, elsewhere.stderr]).toStrictEqual([
      1,
      'portico: the path must be one of the portal\n',
    ])
  }, 60_000)

  test('processes at once renew their tokens one after the other', async () => {
    const kept = JSON.parse(await readFile(file(), 'utf8')) as Record<string, object>
    const expired = { [portal.url]: { ...kept[portal.url], expiresAt: 0 } }
    await writeFile(file(), JSON.stringify(expired))
    const runs = await Promise.all([run('whoami'), run('whoami'), run('whoami')])
    expect(runs.map(({ exitCode }) => exitCode)).toStrictEqual([0, 0, 0])
  }, 60_000)

  test('reads no credentials that others could have read', async () => {
    await chmod(file(), 0o644)
    const { exitCode, stderr } = await run('whoami')
    await chmod(file(), 0o600)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('can be read by others')
  })

  test('shows what a server says, and obeys none of it', async () => {
    using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        Response.json({ title: 'x\u001B]0;owned\u0007\u001B[2J', code: 'x' }, { status: 409 }),
    })
    const { stderr, exitCode } = await runPortico(
      ['whoami', '--portal', `http://127.0.0.1:${server.port}`],
      { ...variables(), PORTICO_TOKEN: 'prt_x' },
    )
    expect([exitCode, stderr]).toStrictEqual([3, 'portico: x\\u{1b}]0;owned\\u{7}\\u{1b}[2J\n'])
  })

  test('signs out, here and at the portal', async () => {
    const kept = JSON.parse(await readFile(file(), 'utf8')) as Record<
      string,
      { readonly accessToken: string }
    >
    const token = kept[portal.url]?.accessToken ?? ''
    expect((await run('logout')).stdout).toBe(`Signed out of ${portal.url}\n`)
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${portal.url}/api/v1/auth/session`, { headers })).status).toBe(401)
    expect((await run('whoami')).exitCode).toBe(4)
  }, 60_000)

  test.each(['bash', 'zsh', 'fish'])('completes in %s', async (shell) => {
    const { stdout, exitCode } = await run('completion', shell)
    expect(exitCode).toBe(0)
    for (const word of ['promote', 'status', 'dry-run']) expect(stdout).toContain(word)
  })
})
